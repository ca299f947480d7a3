import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/**
 * A stream that fails without a listener ends its thread, and a stream that is read by its events can hang. So bodies
 * and responses use `http-engine/body`: ContainedReadable, FilteredBody, contain and StreamReading. The exceptions are
 * listed here, with the reason why they are harmless.
 */
const reviewed: Readonly<Record<string, string>> = {
  "http-engine/src/body/contained-stream.ts": "makes streams contained",
  "http-engine/src/body/stream-reading.ts": "the one reader by events",
  "http-engine/src/exchange.ts": "contained where it is made",
  "http-engine/src/h1/h1-connection.ts": "a socket; has a listener for errors",
  "http-engine/src/h2/h2-tunnel.ts": "contained in its constructor",
  "http-protocols/src/http2-server/server-connection.ts": "a socket; has a listener for errors",
  "http-engine/src/proxy-protocol/take-proxy-header.ts": "a socket; has a listener for errors",
  "certificates/src/tls/connection/judge-chain.ts": "in memory; both ends have a listener for errors",
  "certificates/src/tls/connection/tls-acceptor.ts": "a socket; has a listener for errors",
  "server-modules/src/encoders/content-encoder.ts": "a type: encode reads it by StreamReading",
  "server-modules/src/handlers/file-server/send-file.ts": "sent by sendStream, which contains it",
  "server-modules/src/handlers/webdav/propfind.ts": "sent by sendStream, which contains it",
  "server-modules/src/handlers/reverse-proxy/tunnel/tunnel.ts": "both ends have a listener for errors",
  "server-modules/src/handlers/reverse-proxy/tunnel/pump.ts": "both ends have a listener for errors",
  "server-modules/src/handlers/reverse-proxy/tunnel/websocket-pump.ts":
    "both ends have a listener for errors",
  "server-modules/src/handlers/reverse-proxy/transport/fastcgi/fastcgi-call.ts":
    "a socket; has a listener for errors",
  "server-modules/src/handlers/reverse-proxy/transport/h1/h1-client-connection.ts":
    "a socket; has a listener for errors",
  "server-modules/src/handlers/reverse-proxy/transport/unpacked-call.ts":
    "has a listener for errors before it is written to",
  "server-core/src/logging/writers/old-log-files.ts": "pipeline listens to all of its streams",
  "server-modules/src/events/exec-handler.ts": "pipes of a child process; have a listener for errors",
};

const bare = [
  /\b(?:extends|new) (?:Transform|Duplex|Readable|PassThrough|Writable|EventEmitter)\b/,
  /\bReadable\.from\(/,
  /(?<!#)\bpipeline\(/,
  /\.(?:on|once|addListener)\("data"/,
  /\w\.pipe\((?!z\.)/,
];

const packages = fileURLToPath(new URL("../../", import.meta.url));
/** Folders with the code for requests, responses, logs and their parts. */
const folders = [
  "http-protocols/src/http2-server",
  "http-engine/src",
  "server-modules/src",
  "certificates/src/tls",
  "server-core/src/logging",
];

function filesWith(patterns: readonly RegExp[]): string[] {
  return folders
    .flatMap((folder) =>
      readdirSync(`${packages}${folder}`, { recursive: true, encoding: "utf8" }).map(
        (name) => `${folder}/${name}`,
      ),
    )
    .filter((name) => name.endsWith(".ts") && !/\.test\.ts$|\/testing\//.test(name))
    .filter((name) => {
      const text = readFileSync(`${packages}${name}`, "utf8").replace(/^\s*(?:\/\/|\/?\*).*$/gm, "");
      return patterns.some((pattern) => pattern.test(text));
    })
    .sort();
}

test("no stream of a request or a response is bare that nobody has reviewed", () => {
  expect(filesWith(bare)).toEqual(Object.keys(reviewed).sort());
});

test("no immediate is cleared: after an error that nobody caught node would trip over it, turn after turn", () => {
  expect(filesWith([/\bclearImmediate\(/])).toEqual([]);
});
