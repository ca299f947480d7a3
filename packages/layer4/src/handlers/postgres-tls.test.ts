import { once } from "node:events";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { RunningServer } from "../../../admin-server/src/testing/running-server.ts";
import {
  addressOf,
  connected,
  exchange,
  layer4Config,
  namedUpstream,
  portOf,
} from "../testing/layer4-server.ts";

const sslRequest = Buffer.from("0000000804d2162f", "hex");

function startup(user: string): Buffer {
  const body = Buffer.from(`\0\x03\0\0user\0${user}\0\0`, "latin1");
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length + 4);
  return Buffer.concat([length, body]);
}

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start();
});
afterAll(() => running.close());

async function load(): Promise<number> {
  const database = await namedUpstream("bobs");
  onTestFinished(() => void database.close());
  const config = layer4Config([
    { match: [{ postgres: { tls: "enabled" } }], handle: [{ handler: "postgres_tls" }, { handler: "tls" }] },
    {
      match: [{ postgres: { user: { bob: null } } }],
      handle: [{ handler: "proxy", upstreams: [{ dial: [addressOf(database)] }] }],
    },
    { match: [{ ssh: {} }], handle: [{ handler: "postgres_tls" }] },
  ]) as { apps: Record<string, unknown> };
  config.apps.tls = {
    automation: { policies: [{ issuers: [{ module: "internal" }] }] },
    certificates: { automate: ["localhost"] },
  };
  expect(await running.admin("POST", "/load", config)).toMatchObject({ status: 200 });
  return portOf(running);
}

/** Asks for TLS as clients of PostgreSQL do, then sends the first message. */
async function speak(port: number, user: string): Promise<string> {
  const socket = await connected(port);
  socket.write(sslRequest);
  const [granted] = (await once(socket, "data")) as [Buffer];
  expect(String(granted)).toBe("S");
  const secure = connectTls({ socket, servername: "localhost", rejectUnauthorized: false });
  await once(secure, "secureConnect");
  const answer = text(secure);
  secure.end(startup(user));
  return answer;
}

test("TLS is granted, and the message inside chooses the route", async () => {
  const port = await load();
  expect(await speak(port, "bob")).toBe(`bobs:${startup("bob").toString("latin1")}`);
  expect(await speak(port, "eve")).toBe("");
});

test("bytes that came before TLS was granted are not taken for those inside", async () => {
  const port = await load();
  expect(await exchange(port, Buffer.concat([sslRequest, startup("bob")]), false)).toBe("");
});

test("any other beginning closes the connection", async () => {
  expect(await exchange(await load(), "SSH-2.0-x\r\n", false)).toBe("");
});
