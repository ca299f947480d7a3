// All of h2spec, over TLS and in cleartext.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { findPeer } from "./find-peer.ts";
import { plainSite, startWebServer } from "./web-server.ts";

const program = findPeer("h2spec");
const respond = { handler: "static_response", body: "hello world" };

/** On a port that also accepts HTTP/1, another preface is answered like a malformed HTTP/1 request. */
const ofOtherProtocols = "Sends invalid connection preface";

interface Failures {
  readonly passed: number;
  readonly failed: readonly string[];
}

async function run(address: string, ...more: string[]): Promise<Failures> {
  const port = address.split(":").at(-1) ?? "";
  let output: string;
  try {
    ({ stdout: output } = await promisify(execFile)(program ?? "", ["-h", "localhost", "-p", port, ...more]));
  } catch (error) {
    output = (error as { stdout?: string }).stdout ?? "";
  }
  const summary = output.slice(0, output.indexOf("\nFailures:") >>> 0);
  return {
    passed: Number(/(\d+) passed/.exec(output)?.[1] ?? 0),
    failed: [...summary.matchAll(/× \d+: (.*)/g)].map(([, name = ""]) => name),
  };
}

test.skipIf(program === undefined)(
  "TLS: all of 145 pass (skipped without h2spec in $PEERS)",
  async () => {
    const server = await startWebServer({
      tls_connection_policies: [{}],
      routes: [{ match: [{ host: ["localhost"] }], handle: [respond] }],
    });
    try {
      expect(await run(server.address, "-t", "-k")).toEqual({ passed: 145, failed: [] });
    } finally {
      await server.close();
    }
  },
  120_000,
);

test.skipIf(program === undefined)(
  "cleartext: all but one pass (skipped without h2spec in $PEERS)",
  async () => {
    const server = await startWebServer(plainSite(respond));
    try {
      expect(await run(server.address)).toEqual({ passed: 144, failed: [ofOtherProtocols] });
    } finally {
      await server.close();
    }
  },
  120_000,
);
