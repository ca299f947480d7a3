// http3-client sends requests of HTTP/3 over one connection and prints an answer a line, as JSON. It trusts every certificate.
//
// Usage: http3-client [-parallel] [-early] [-certificate FILE] BASE-URL REQUEST... ; FILE has the client's chain and key, PEM. A request is "GET /path", "POST /path BYTES" or
// "RESUME", after which a new connection uses the ticket of the one before. With -early that connection sends GET before the handshake is done.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
)

// Answer is one line of the output.
type Answer struct {
	Status   int               `json:"status"`
	Protocol string            `json:"protocol"`
	Headers  map[string]string `json:"headers"`
	Trailers map[string]string `json:"trailers"`
	Bytes    int               `json:"bytes"`
	Sha256   string            `json:"sha256"`
	Text     string            `json:"text"`
	Error    string            `json:"error"`
	Resumed  bool              `json:"resumed"`
	Early    bool              `json:"early"`
}

func flat(header http.Header) map[string]string {
	fields := map[string]string{}
	for name, values := range header {
		fields[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return fields
}

// split begins a new list after each "RESUME".
func split(requests []string) [][]string {
	lists := [][]string{{}}
	for _, request := range requests {
		if request == "RESUME" {
			lists = append(lists, []string{})
		} else {
			lists[len(lists)-1] = append(lists[len(lists)-1], request)
		}
	}
	return lists
}

// askAll sends requests over one connection.
func askAll(options *tls.Config, tokens quic.TokenStore, base string, requests []string, parallel, early bool) []Answer {
	var connection *quic.Conn
	dial := func(ctx context.Context, address string, tlsConfig *tls.Config, config *quic.Config) (*quic.Conn, error) {
		open := quic.DialAddr
		if early {
			open = quic.DialAddrEarly
		}
		dialed, err := open(ctx, address, tlsConfig, config)
		connection = dialed
		return dialed, err
	}
	// A client without a token has not shown its address, so servers may let early requests wait.
	transport := &http3.Transport{TLSClientConfig: options, Dial: dial, QUICConfig: &quic.Config{TokenStore: tokens}}
	defer transport.Close()
	client := &http.Client{Transport: transport}
	answers := make([]Answer, len(requests))
	var group sync.WaitGroup
	for index, request := range requests {
		work := func() { answers[index] = ask(client, base, request, early) }
		if parallel && index > 0 {
			group.Go(work)
		} else {
			work()
		}
	}
	group.Wait()
	if connection == nil {
		return answers
	}
	for _, answer := range answers {
		if early && strings.Contains(answer.Error, quic.Err0RTTRejected.Error()) {
			// The transport of quic-go opens no more streams on such a connection: callers begin again.
			return askAll(options, tokens, base, requests, parallel, false)
		}
	}
	// The ticket comes after the handshake.
	select {
	case <-connection.HandshakeComplete():
	case <-connection.Context().Done():
	}
	time.Sleep(100 * time.Millisecond)
	state := connection.ConnectionState()
	for index := range answers {
		answers[index].Resumed = state.TLS.DidResume
		answers[index].Early = state.Used0RTT
	}
	return answers
}

func ask(client *http.Client, base, request string, early bool) Answer {
	var method, path string
	var size int
	fmt.Sscan(request, &method, &path, &size)
	var body io.Reader
	if method == "POST" {
		body = bytes.NewReader(bytes.Repeat([]byte("0123456789"), (size+9)/10)[:size])
	}
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	if early && method == "GET" {
		method = http3.MethodGet0RTT
	}
	message, err := http.NewRequestWithContext(ctx, method, base+path, body)
	if err != nil {
		return Answer{Error: err.Error()}
	}
	response, err := client.Do(message)
	if err != nil {
		return Answer{Error: err.Error()}
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return Answer{Error: err.Error()}
	}
	sum := sha256.Sum256(content)
	answer := Answer{
		Status: response.StatusCode, Protocol: response.Proto,
		Headers: flat(response.Header), Trailers: flat(response.Trailer),
		Bytes: len(content), Sha256: hex.EncodeToString(sum[:]),
	}
	if len(content) < 200 {
		answer.Text = string(content)
	}
	return answer
}

func main() {
	parallel := flag.Bool("parallel", false, "send all requests at once")
	early := flag.Bool("early", false, "send early data")
	certificate := flag.String("certificate", "", "file with the client's chain and key")
	flag.Parse()
	options := &tls.Config{InsecureSkipVerify: true, ClientSessionCache: tls.NewLRUClientSessionCache(0)}
	if *certificate != "" {
		own, err := tls.LoadX509KeyPair(*certificate, *certificate)
		if err != nil {
			log.Fatal(err)
		}
		// Shown even if the authorities that the server names are others.
		options.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &own, nil }
	}
	output := json.NewEncoder(os.Stdout)
	tokens := quic.NewLRUTokenStore(1, 4)
	for index, requests := range split(flag.Args()[1:]) {
		for _, answer := range askAll(options, tokens, flag.Arg(0), requests, *parallel, *early && index > 0) {
			output.Encode(answer)
		}
	}
}
