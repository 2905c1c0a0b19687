module example.com/study

go 1.22
