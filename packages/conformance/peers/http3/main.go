// http3-client sends requests of HTTP/3 over one connection and prints an answer a line, as JSON. It trusts every certificate.
//
// Usage: http3-client [-parallel] [-certificate FILE] BASE-URL REQUEST... ; FILE has the client's chain and key, PEM. A request is "GET /path" or "POST /path BYTES".
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
}

func flat(header http.Header) map[string]string {
	fields := map[string]string{}
	for name, values := range header {
		fields[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return fields
}

func ask(client *http.Client, base, request string) Answer {
	var method, path string
	var size int
	fmt.Sscan(request, &method, &path, &size)
	var body io.Reader
	if method == "POST" {
		body = bytes.NewReader(bytes.Repeat([]byte("0123456789"), (size+9)/10)[:size])
	}
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
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
	certificate := flag.String("certificate", "", "file with the client's chain and key")
	flag.Parse()
	options := &tls.Config{InsecureSkipVerify: true}
	if *certificate != "" {
		own, err := tls.LoadX509KeyPair(*certificate, *certificate)
		if err != nil {
			log.Fatal(err)
		}
		// Shown even if the authorities that the server names are others.
		options.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &own, nil }
	}
	transport := &http3.Transport{TLSClientConfig: options}
	defer transport.Close()
	client := &http.Client{Transport: transport}
	requests := flag.Args()[1:]
	answers := make([]Answer, len(requests))
	var group sync.WaitGroup
	for index, request := range requests {
		work := func() { answers[index] = ask(client, flag.Arg(0), request) }
		if *parallel && index > 0 {
			group.Go(work)
		} else {
			work()
		}
	}
	group.Wait()
	output := json.NewEncoder(os.Stdout)
	for _, answer := range answers {
		output.Encode(answer)
	}
}
