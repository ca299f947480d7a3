import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { TLSSocket } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { createTestAuthority } from "../testing/test-certificates.ts";
import { sendRequest } from "./send-request.ts";

const authority = createTestAuthority();
const server = authority.issue("server");
const client = authority.issue("client");
const ca = Buffer.from(authority.cert);

/**
 * Serves every client that sends a certificate: the answer has the certificate's name and the received body. @returns
 * the address
 */
async function openTlsServer(): Promise<URL> {
  const options = { ...server, ca: authority.cert, requestCert: true, rejectUnauthorized: true };
  const listener = createServer(options, async (request, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate();
    response.writeHead(202).end(`${subject.CN} ${request.method} ${await text(request)}`);
  }).listen(0, "127.0.0.1");
  await once(listener, "listening");
  onTestFinished(() => {
    listener.closeAllConnections();
    listener.close();
  });
  return new URL(`https://localhost:${(listener.address() as AddressInfo).port}/`);
}

const plain = () => ({ method: "POST", headers: {}, body: "hello", signal: AbortSignal.timeout(30_000) });
const pair = { cert: Buffer.from(client.cert), key: Buffer.from(client.key) };

test("shows its certificate to a server of its authority", async () => {
  const url = await openTlsServer();
  const tls = { ca, ...pair, serverName: "server", skipHostVerify: false };
  const response = await sendRequest(url, { ...plain(), tls });
  expect(response.statusCode).toBe(202);
  expect(await text(response)).toBe("client POST hello");
});

test("is not served without one", async () => {
  const url = await openTlsServer();
  const tls = { ca, serverName: "server", skipHostVerify: false };
  await expect(sendRequest(url, { ...plain(), tls })).rejects.toThrow();
});

test("refuses a server of another authority, unless told to take any", async () => {
  const url = await openTlsServer();
  const other = Buffer.from(createTestAuthority("other").cert);
  const tls = { ca: other, ...pair, serverName: "server" };
  await expect(sendRequest(url, { ...plain(), tls: { ...tls, skipHostVerify: false } })).rejects.toThrow(
    "certificate",
  );
  const response = await sendRequest(url, { ...plain(), tls: { ...tls, skipHostVerify: true } });
  expect(await text(response)).toBe("client POST hello");
});

test("speaks plain HTTP, and can be broken off", async () => {
  const listener = createHttpServer((_request, _response) => {}).listen(0, "127.0.0.1");
  await once(listener, "listening");
  onTestFinished(() => {
    listener.closeAllConnections();
    listener.close();
  });
  const url = new URL(`http://127.0.0.1:${(listener.address() as AddressInfo).port}/`);
  const stop = new AbortController();
  const sending = sendRequest(url, { ...plain(), signal: stop.signal });
  stop.abort();
  await expect(sending).rejects.toThrow("aborted");
});
