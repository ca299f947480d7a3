// Each matcher over the first bytes of a connection: yes, no, and "not yet" for every beginning.

import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { encodeHeaders } from "http-protocols/http2";
import { expect, onTestFinished, test, vi } from "vitest";
import { provisionModule } from "../../../admin-server/src/testing/provision-module.ts";
import { addressesOf } from "../connection/addresses.ts";
import { Connection } from "../connection/connection.ts";
import { matchers } from "../routes/handler.ts";

/** A connection with bytes that were looked at. */
async function withBytes(bytes: Buffer, remoteAddress = "192.0.2.1"): Promise<Connection> {
  const stream = new PassThrough();
  const connection = new Connection(stream, addressesOf(remoteAddress, 4321, "192.0.2.2", 80));
  if (bytes.length > 0) {
    stream.write(bytes);
    await connection.peek(performance.now() + 1_000);
  }
  return connection;
}

const latin = (text: string) => Buffer.from(text, "latin1");
const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");

function startup(...texts: string[]): Buffer {
  const body = latin(`\0\x03\0\0${texts.map((each) => `${each}\0`).join("")}\0`);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length + 4);
  return Buffer.concat([length, body]);
}

/** The first request of HTTP/2: SETTINGS, then HEADERS. */
function http2(host: string): Buffer {
  const block = encodeHeaders([
    { name: ":method", value: "GET" },
    { name: ":scheme", value: "http" },
    { name: ":path", value: "/x" },
    { name: ":authority", value: host },
  ]);
  const header = Buffer.alloc(9);
  header.writeUIntBE(block.length, 0, 3);
  header.set([1, 5], 3);
  header.writeUInt32BE(1, 5);
  return Buffer.concat([latin("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), hex("000000040000000000"), header, block]);
}

/** A ClientHello for a.test that offers h2. */
const hello = hex(
  "16 0301 0047 01 000043 0303 0000000000000000000000000000000000000000000000000000000000000000 00 0002 1301 01 00 0018" +
    "0000 000b 0009 00 0006 612e74657374 0010 0005 0003 02 6832",
);

/** A query of DNS over TCP. */
function query(name: string, type: number, flags = 0x0100): Buffer {
  const labels = name.split(".").map((label) => String.fromCharCode(label.length) + label);
  const body = Buffer.concat([
    hex("1234"),
    Buffer.from([flags >> 8, flags & 0xff]),
    hex("0001 0000 0000 0000"),
    latin(`${labels.join("")}\0`),
    Buffer.from([0, type, 0, 1]),
  ]);
  return Buffer.concat([Buffer.from([0, body.length]), body]);
}

/** A connection request of RDP. */
function rdp(line: string, negotiation = "0100 0800 03000000"): Buffer {
  const payload = Buffer.concat([latin(line), hex(negotiation)]);
  return Buffer.concat([
    Buffer.from([3, 0, 0, payload.length + 11, payload.length + 6]),
    hex("e0 0000 0000 00"),
    payload,
  ]);
}
const mstshash = rdp("Cookie: mstshash=a0123\r\n");
const msts = rdp("Cookie: msts=16777343.15629.0000\r\n");

/** A first message of Winbox, in chunks of at most 255 bytes. */
function winbox(name: string, parity = 1): Buffer {
  const message = Buffer.concat([latin(`${name}\0`), Buffer.alloc(32, 7), Buffer.from([parity])]);
  const chunks: Buffer[] = [];
  for (let start = 0; start < message.length; start += 255) {
    const part = message.subarray(start, start + 255);
    chunks.push(Buffer.from([part.length, start === 0 ? 6 : 0xff]), part);
  }
  return Buffer.concat(chunks);
}

const socks4 = hex("04 01 01bb c0000201 00");
const request = latin("GET /a HTTP/1.1\r\nHost: a.test\r\n\r\n");

test.each<[name: string, config: unknown, bytes: Buffer, expected: boolean]>([
  ["ssh", {}, latin("SSH-2.0-x"), true],
  ["ssh", {}, latin("SMTP"), false],
  ["xmpp", {}, latin("<stream:stream xmlns='jabber:client' to='example.org'>"), true],
  ["xmpp", {}, latin("x".repeat(50)), false],
  ["proxy_protocol", {}, latin("PROXY TCP4"), true],
  ["proxy_protocol", {}, hex("0d0a0d0a000d0a515549540a"), true],
  ["proxy_protocol", {}, latin("PROXX"), false],
  ["regexp", { pattern: "^ab" }, latin("abcd"), true],
  ["regexp", { pattern: "^FF", count: 1, hex: true }, hex("ff"), true],
  ["regexp", { pattern: "^b" }, latin("abcd"), false],
  ["socks4", {}, socks4, true],
  ["socks4", { commands: ["BIND"] }, socks4, false],
  ["socks4", { ports: [443], networks: ["192.0.2.0/24"] }, socks4, true],
  ["socks4", { ports: [80] }, socks4, false],
  ["socks5", {}, hex("05 02 00 02"), true],
  ["socks5", { auth_methods: [2] }, hex("05 02 00 02"), false],
  ["socks5", {}, hex("04"), false],
  ["winbox", {}, winbox("toto"), true],
  ["winbox", {}, winbox("a".repeat(240)), true],
  ["winbox", {}, winbox("a".repeat(256)), false],
  ["winbox", {}, winbox("toto", 2), false],
  ["winbox", {}, winbox("to to"), false],
  ["winbox", {}, latin("$\x07"), false],
  ["winbox", { modes: ["RoMON"] }, winbox("toto+r"), true],
  ["winbox", { modes: ["romon"] }, winbox("toto"), false],
  ["winbox", { modes: ["standard"] }, winbox("toto+r"), false],
  ["winbox", { username: "toto" }, winbox("toto+r"), true],
  ["winbox", { username: "tata", username_regexp: "^toto$" }, winbox("toto"), false],
  ["winbox", { username_regexp: "^t.t.$" }, winbox("toto"), true],
  ["winbox", { username_regexp: "^a" }, winbox("toto"), false],
  ["postgres", {}, hex("00000008 04d2162f"), true],
  ["postgres", { tls: "disabled" }, hex("00000008 04d2162f"), false],
  ["postgres", { tls: "enabled" }, startup("user", "bob"), false],
  ["postgres", { user: { bob: ["db1"] } }, startup("user", "bob", "database", "db1"), true],
  ["postgres", { user: { bob: ["db1"] } }, startup("user", "bob", "database", "db2"), false],
  ["postgres", { user: { bob: null } }, startup("user", "eve"), false],
  ["postgres", { user: { "*": [] } }, startup("user", "eve"), true],
  ["postgres", { client: ["psql"] }, startup("user", "bob", "application_name", "psql"), true],
  ["postgres", {}, hex("00000009 0003000061"), false],
  ["tls", {}, hello, true],
  ["tls", { sni: ["a.test"], alpn: ["h2"] }, hello, true],
  ["tls", { sni: ["b.test"] }, hello, false],
  ["tls", { alpn: ["http/1.1"] }, hello, false],
  ["tls", {}, latin("GET"), false],
  ["http", [], request, true],
  ["http", [{ host: ["a.test"], path: ["/a"] }], request, true],
  ["http", [{ host: ["b.test"] }], request, false],
  ["http", [{ host: ["a.test"], path: ["/x"] }], http2("a.test"), true],
  ["http", [{ host: ["b.test"] }], http2("a.test"), false],
  ["http", [], hello, false],
  ["dns", {}, query("a.test", 1), true],
  ["dns", {}, query("a.test", 1, 0x8180), false],
  ["dns", {}, query("a.test", 1, 0x0103), false],
  ["dns", {}, latin("GET / HTTP/1.1\r\n\r\n"), false],
  ["dns", {}, hex("0003 000000"), false],
  ["dns", { allow: [{ name: "a.test.", type: "MX" }] }, query("A.Test", 15), true],
  ["dns", { allow: [{ name: "a.test." }] }, query("b.test", 15), false],
  ["dns", { deny: [{ name_regexp: "^(.+\\.)?b\\.test\\.$", class: "IN" }] }, query("x.b.test", 1), false],
  ["dns", { deny: [{ type: "ANY" }] }, query("x.b.test", 1), true],
  ["dns", { allow: [{ type: "A" }], deny: [{ name: "a.test." }] }, query("a.test", 1), false],
  [
    "dns",
    { allow: [{ type: "A" }], deny: [{ name: "a.test." }], prefer_allow: true },
    query("a.test", 1),
    true,
  ],
  ["dns", { allow: [{ type: "A" }], deny: [{ name: "a.test." }] }, query("c.test", 28), true],
  ["dns", { allow: [{ type: "A" }], deny: [{ type: "MX" }], default_deny: true }, query("c.test", 28), false],
  ["rdp", {}, rdp(""), true],
  ["rdp", {}, mstshash, true],
  ["rdp", {}, rdp("Cookie: mstshash=a\r\n", ""), true],
  ["rdp", {}, rdp("", `0108 0800 03000000 0600 2400 ${"11".repeat(16)} ${"00".repeat(16)}`), true],
  ["rdp", {}, rdp("", "0100 0900 03000000"), false],
  ["rdp", {}, rdp("", ""), false],
  ["rdp", {}, latin("GET / HTTP/1.1\r\n\r\n"), false],
  ["rdp", { cookie_hash: "a0123" }, mstshash, true],
  ["rdp", { cookie_hash: "admin" }, mstshash, false],
  ["rdp", { cookie_hash_regexp: "^[a-z]\\d+$" }, mstshash, true],
  ["rdp", { cookie_hash: "a" }, msts, false],
  ["rdp", { cookie_ips: ["127.0.0.0/8"], cookie_ports: [3389] }, msts, true],
  ["rdp", { cookie_ips: ["192.168.0.0/16"] }, msts, false],
  ["rdp", { cookie_ports: [5000] }, msts, false],
  ["rdp", { custom_info: "pool 1" }, rdp("pool 1\r\n"), true],
  ["rdp", { custom_info_regexp: "^pool 2$" }, rdp("pool 1\r\n"), false],
  ["rdp", { custom_info: "pool 1" }, rdp(""), false],
  ["not", [{ ssh: {} }], latin("SSH-2.0"), false],
  ["not", [{ ssh: {} }, { xmpp: {} }], latin("y".repeat(60)), true],
])("%s %j", async (name, config, bytes, expected) => {
  const matcher = await provisionModule(matchers, name, config);
  expect(matcher.matches(await withBytes(bytes))).toBe(expected);
  // A beginning never says the opposite.
  for (let end = 0; end < bytes.length; end += 1 + Math.floor(bytes.length / 40)) {
    const said = matcher.matches(await withBytes(bytes.subarray(0, end)));
    expect([undefined, expected], `${end} bytes`).toContain(said);
  }
});

test.each([
  ["remote_ip", { ranges: ["192.0.2.0/28"] }, true],
  ["remote_ip", { ranges: ["10.0.0.0/8"] }, false],
  ["local_ip", { ranges: ["192.0.2.2"] }, true],
  ["vars", {}, true],
  ["vars", { "{l4.conn.remote_addr}": ["192.0.2.1:4321"] }, true],
  ["vars", { who: ["", "x"] }, true],
  ["vars", { who: ["x"] }, false],
  ["vars_regexp", { "{l4.conn.remote_addr}": { pattern: "^192\\." } }, true],
  ["vars_regexp", { who: { pattern: "." } }, false],
])("%s %j without a byte", async (name, config, expected) => {
  const matcher = await provisionModule(matchers, name, config);
  expect(matcher.matches(await withBytes(Buffer.alloc(0)))).toBe(expected);
});

test("captures of vars_regexp and names of rdp become placeholders", async () => {
  const matcher = await provisionModule(matchers, "vars_regexp", {
    "{l4.conn.remote_addr}": { name: "at", pattern: "(?P<host>.*):(\\d+)" },
  });
  const connection = await withBytes(mstshash);
  expect(matcher.matches(connection)).toBe(true);
  expect(connection.fill("{l4.regexp.at.host} {l4.regexp.at.2} {l4.regexp.1}")).toBe(
    "192.0.2.1 4321 192.0.2.1",
  );
  expect((await provisionModule(matchers, "rdp", {})).matches(connection)).toBe(true);
  expect(connection.fill("{l4.rdp.cookie_hash}")).toBe("a0123");
});

test("a file of addresses is read again after a change, and what is no address is left out", async () => {
  const folder = await mkdtemp(join(tmpdir(), "remote-ip-list-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "list");
  const matcher = await provisionModule(matchers, "remote_ip_list", { remote_ip_file: file });
  const now = vi.spyOn(performance, "now");
  onTestFinished(() => void now.mockRestore());
  const matchesAt = async (ms: number, address: string) => {
    const connection = await withBytes(Buffer.alloc(0), address);
    now.mockReturnValue(ms);
    return matcher.matches(connection);
  };
  expect(await matchesAt(10_000, "192.0.2.1")).toBe(false);
  await writeFile(file, "# ours\n192.0.2.0/28\n  2001:db8::1 \nx/y\n1.2.3.4/99\n");
  expect(await matchesAt(10_500, "192.0.2.1")).toBe(false);
  expect(await matchesAt(11_500, "192.0.2.1")).toBe(true);
  expect(await matchesAt(11_500, "2001:db8::1")).toBe(true);
  await truncate(file, 5 * 1024 * 1024);
  expect(await matchesAt(13_000, "192.0.2.1")).toBe(true);
  await rm(file);
  expect(await matchesAt(15_000, "192.0.2.1")).toBe(false);
});

test.each([
  [{ after: "08:00:00", before: "17:00:00" }, true],
  [{ after: "17:00:00", before: "08:00:00" }, true],
  [{ after: "12:00:00" }, true],
  [{ before: "12:00:00" }, false],
  [{ after: "13:30:00", before: "14:00:00", timezone: "+01:30" }, true],
  [{ after: "07:00:00", before: "07:00:01", timezone: "America/New_York" }, true],
])("clock %j at 12:00:00 UTC in winter", async (config, expected) => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 15, 12, 0, 0), toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const matcher = await provisionModule(matchers, "clock", config);
  expect(matcher.matches(await withBytes(Buffer.alloc(0)))).toBe(expected);
});

test.each([
  ["vars_regexp", { who: { pattern: "(" } }, "regular expression"],
  ["vars_regexp", { who: { pattern: "a", name: "-" } }, "word characters"],
  ["remote_ip_list", { remote_ip_file: "/no/such/folder/list" }, "remote_ip_file"],
  ["dns", { deny: [{ name_regexp: "(" }] }, "regular expression"],
  ["rdp", { cookie_ips: ["x"] }, "invalid IP address 'x'"],
  ["clock", { after: "25:00:00" }, "no time"],
  ["clock", { timezone: "Nowhere/Land" }, "unknown time zone"],
  ["socks4", { commands: ["ASSOCIATE"] }, "not CONNECT or BIND"],
  ["winbox", { modes: ["safe"] }, "neither standard nor romon"],
  ["winbox", { username_regexp: "(" }, "regular expression"],
  ["regexp", { pattern: "(" }, "regular expression"],
  ["regexp", { count: 20_000 }, "16384"],
])("%s %j is refused", async (name, config, message) => {
  await expect(provisionModule(matchers, name, config)).rejects.toThrow(message);
});
