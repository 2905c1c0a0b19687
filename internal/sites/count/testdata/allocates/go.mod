module allocates

go 1.16
