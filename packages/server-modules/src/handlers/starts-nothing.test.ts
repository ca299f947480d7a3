import { createHook } from "node:async_hooks";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HttpHandler, Next } from "http-engine/handler";
import { makeAnswering } from "http-engine/testing/make-exchange";
import { giveToOwner } from "server-core/threads/error-owner";
import { expect, test } from "vitest";
import { provisionHandler } from "../../../admin-server/src/testing/provision-module.ts";

/**
 * Ids of errors come from random bytes that all requests share; the request that uses the last byte causes new ones to
 * be made.
 */
const forAll = "RANDOMBYTESREQUEST";

/** Kinds of promises, timers, sockets and the like that begin while `run` runs. */
function started(run: () => void): string[] {
  const kinds: string[] = [];
  const hook = createHook({ init: (_id, kind) => void kinds.push(kind) });
  hook.enable();
  try {
    run();
  } finally {
    hook.disable();
  }
  return kinds.filter((kind) => kind !== forAll);
}

function attempt(handler: HttpHandler, body: string | undefined, next: Next): void {
  const { exchange } = makeAnswering({ method: "POST", target: "/a?b=c", ...(body && { body }) });
  try {
    void handler.handle(exchange, next);
  } catch {
    // ending a request is the purpose of `error` and `abort`
  }
}

const ok = { handler: "static_response", status_code: 200, body: "ok" };

test.each<[string, object, string?]>([
  ["static_response", { body: "{http.request.uri} {http.request.header.host}", headers: { A: ["b"] } }],
  ["static_response", { close: true }],
  ["static_response", { abort: true }],
  ["headers", { request: { set: { Host: ["x"] } }, response: { set: { A: ["b"] }, deferred: true } }],
  ["rewrite", { uri: "/x{uri}", method: "PUT", strip_path_prefix: "/a" }],
  ["vars", { a: "{http.request.host}", b: { c: 1 } }],
  ["map", { source: "{http.request.uri}", destinations: ["{m}"], defaults: ["d"] }],
  ["error", { error: "no", status_code: 418 }],
  ["log_append", { key: "k", value: "{http.request.uri}", early: true }],
  ["request_body", { max_size: 1 }, "too long"],
  ["invoke", { name: "none" }],
  ["subroute", { routes: [{ handle: [ok] }] }],
  ["subroute", { routes: [{ handle: [{ handler: "error" }] }], errors: { routes: [{ handle: [ok] }] } }],
])("%s %j starts nothing that runs on by itself", async (name, config, body) => {
  const handler = await provisionHandler(name, config);

  expect(handler.startsNothing).toBe(true);
  attempt(handler, body, () => {}); // what the handler creates only for the first request
  expect(started(() => attempt(handler, body, () => {}))).toEqual([]);
});

test("a file in memory is answered with nothing started, one on the disk as the request's work", async () => {
  const root = await mkdtemp(join(tmpdir(), "files-"));
  await writeFile(join(root, "a"), "a file");
  const handler = await provisionHandler("file_server", { root });
  const { exchange, status } = makeAnswering({ target: "/a" });
  const cached = makeAnswering({ target: "/a" });

  await handler.handle(exchange, () => {});
  expect(started(() => void handler.handle(cached.exchange, () => {}))).toEqual([]);
  expect([handler.startsNothing, status(), cached.status(), cached.body().toString()]).toEqual([
    true,
    200,
    200,
    "a file",
  ]);
  await rm(root, { recursive: true });
});

test.each<[string, object[], boolean]>([
  ["handlers that start nothing", [{ handler: "vars" }], false],
  ["one that may start something", [{ handler: "encode", encodings: { gzip: {} } }], true],
  ["one behind others", [{ handler: "vars" }, { handler: "encode", encodings: { gzip: {} } }], true],
])("errors of what comes of %s", async (_name, handle, hasOwner) => {
  const handler = await provisionHandler("subroute", { routes: [{ handle }] });
  const failures: unknown[] = [];
  const { exchange } = makeAnswering({
    server: { exchangeBroken: (_exchange, error) => void failures.push(error) },
  });
  const late = Promise.withResolvers<boolean>();

  void handler.handle(exchange, () => void setImmediate(() => late.resolve(giveToOwner("late"))));

  await expect(late.promise).resolves.toBe(hasOwner);
  expect(failures).toEqual(hasOwner ? ["late"] : []);
});
