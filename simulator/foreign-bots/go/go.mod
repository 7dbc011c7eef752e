module echo

go 1.21

require github.com/go-telegram/bot v1.19.0
