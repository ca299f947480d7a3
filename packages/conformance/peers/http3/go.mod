// A client of HTTP/3 that tests call; see ../build.sh.
module peers/http3

go 1.26.0

require github.com/quic-go/quic-go v0.63.0

require (
	github.com/quic-go/qpack v0.6.0 // indirect
	golang.org/x/crypto v0.54.0 // indirect
	golang.org/x/net v0.56.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/text v0.40.0 // indirect
)
