module example.com/article

go 1.22
