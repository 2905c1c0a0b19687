package notes
