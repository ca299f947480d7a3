"""Sends requests of HTTP/3 over one connection by aioquic and prints an answer a line, as JSON. It trusts every certificate.

Usage: aioquic-client.py [-parallel] [-early] [-certificate FILE] PORT REQUEST... ; FILE has the client's chain and key, PEM. A request is
"GET /path", "POST /path BYTES" or "UPDATE", which changes keys, or "RESUME", after which a new connection uses the ticket and the
token of the one before. With -early that connection sends its requests before the handshake is done.
"""

import argparse
import asyncio
import hashlib
import json
import ssl
import sys

from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated


class Client(QuicConnectionProtocol):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.http = H3Connection(self._quic)
        self.waiting = {}

    async def ask(self, request):
        method, path, *size = request.split()
        stream = self._quic.get_next_available_stream_id()
        done = asyncio.get_running_loop().create_future()
        self.waiting[stream] = (done, [], [])
        fields = {":method": method, ":scheme": "https", ":authority": "localhost", ":path": path}
        head = [(name.encode(), value.encode()) for name, value in fields.items()]
        self.http.send_headers(stream, head, end_stream=not size)
        if size:
            count = int(size[0])
            self.http.send_data(stream, (b"0123456789" * (count // 10 + 1))[:count], end_stream=True)
        self.transmit()
        sections, body = await asyncio.wait_for(done, 60)
        final = next(index for index, fields in enumerate(sections) if fields[":status"] >= "200")
        return {
            "status": int(sections[final][":status"]),
            "headers": sections[final],
            "trailers": sections[final + 1] if len(sections) > final + 1 else {},
            "bytes": len(body),
            "sha256": hashlib.sha256(body).hexdigest(),
            "text": body.decode("latin1") if len(body) < 200 else "",
            # Bytes of the server's QPACK encoder so far, and of acknowledgments for it.
            "inserted": self.http._encoder_bytes_received,
            "acknowledged": self.http._decoder_bytes_sent,
        }

    def quic_event_received(self, event):
        if isinstance(event, ConnectionTerminated):
            for done, _, _ in self.waiting.values():
                if not done.done():
                    done.set_exception(ConnectionError(event.reason_phrase))
        for received in self.http.handle_event(event):
            if not isinstance(received, (HeadersReceived, DataReceived)):
                continue
            done, sections, body = self.waiting[received.stream_id]
            if isinstance(received, HeadersReceived):
                sections.append({name.decode(): value.decode() for name, value in received.headers})
            else:
                body.append(received.data)
            if received.stream_ended and not done.done():
                done.set_result((sections, b"".join(body)))


async def ask_all(client, requests, parallel):
    if parallel:
        return await asyncio.gather(*[client.ask(request) for request in requests])
    answers = []
    for request in requests:
        if request == "UPDATE":
            client._quic.request_key_update()
        else:
            answers.append(await client.ask(request))
    return answers


async def main():
    options = argparse.ArgumentParser()
    options.add_argument("-parallel", action="store_true")
    options.add_argument("-certificate")
    options.add_argument("-early", action="store_true")
    options.add_argument("port", type=int)
    options.add_argument("requests", nargs="+")
    given = options.parse_args()
    tickets, tokens = [None], [b""]
    for group in " ".join(f"|{request}" for request in given.requests).split("|RESUME"):
        configuration = QuicConfiguration(is_client=True, alpn_protocols=H3_ALPN, server_name="localhost")
        configuration.verify_mode = ssl.CERT_NONE
        if given.certificate:
            configuration.load_cert_chain(given.certificate, given.certificate)
        configuration.session_ticket, configuration.token = tickets[-1], tokens[-1]
        options = {"session_ticket_handler": tickets.append, "token_handler": tokens.append}
        early = given.early and tickets[-1] is not None
        async with connect(
            "127.0.0.1",
            given.port,
            configuration=configuration,
            create_protocol=Client,
            wait_connected=not early,
            **options,
        ) as client:
            asked = [request.strip() for request in group.split("|") if request.strip()]
            for answer in await ask_all(client, asked, given.parallel):
                tls = client._quic.tls
                print(json.dumps({**answer, "resumed": tls.session_resumed, "early": tls.early_data_accepted}))
            if given.early:
                await asyncio.sleep(0.2)


asyncio.run(main())
