import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type ConnectionOptions, createServer } from "node:tls";
import { selfSigned } from "certificates/testing/self-signed";
import { expect, onTestFinished, test } from "vitest";
import { parseDial } from "./dial-address.ts";
import { nameLookups } from "./name-lookups.ts";
import { openSocket } from "./open-socket.ts";

/** Opens a connection to a server with a self-signed certificate. @returns the reason of a failure */
async function refusal(name: string, toDays: number, tls: (pem: string) => ConnectionOptions) {
  const { cert, key } = await selfSigned(name, { fromDays: -9, toDays });
  const server = createServer({ cert, key }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const dial = parseDial(`127.0.0.1:${(server.address() as AddressInfo).port}`);
  const options = { dialTimeoutMs: 0, fallbackDelayMs: 0, probeIntervalMs: 0 };
  const { promise, resolve } = Promise.withResolvers<string>();
  openSocket(
    dial,
    { ...options, localAddress: undefined, lookup: nameLookups.lookup, writeBufferBytes: 0 },
    {
      tls: {
        options: tls(cert),
        serverName: "here.example",
        handshakeTimeoutMs: 0,
        alpn: ["http/1.1"],
        renegotiation: false,
      },
    },
    (error, socket) => {
      socket?.destroy();
      resolve(error?.message ?? "accepted");
    },
  );
  return await promise;
}

const until = String.raw`\(valid until \d{4}-\d\d-\d\dT[\d:.]+Z\)`;

test.each([
  ["of another name", "there.example", 1, `there.example ${until}: Hostname.*here.example`],
  ["that is over", "here.example", -1, `here.example ${until}: certificate has expired`],
])("a certificate %s is refused by its name", async (_, name, toDays, text) => {
  expect(await refusal(name, toDays, (ca) => ({ ca }))).toMatch(new RegExp(`^certificate ${text}`));
});

test("a certificate without any name is refused, saying so", async () => {
  expect(await refusal("", 1, () => ({ ca: [] }))).toMatch(
    new RegExp(`^certificate without a name ${until}: self-signed certificate$`),
  );
});

test("a certificate that nobody trusts is refused by its name, without advice for Node", async () => {
  expect(await refusal("here.example", 1, () => ({ ca: [] }))).toMatch(
    new RegExp(`^certificate here.example ${until}: self-signed certificate$`),
  );
});

test("one that is trusted is accepted, as is any where none is verified", async () => {
  expect(await refusal("here.example", 1, (ca) => ({ ca }))).toBe("accepted");
  expect(await refusal("there.example", -1, () => ({ rejectUnauthorized: false }))).toBe("accepted");
});
