import pino from "pino";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createTestAuthority } from "../testing/test-certificates.ts";
import { createTlsFolder } from "../testing/tls-folder.ts";
import { openClientTls, readClientTls } from "./client-tls.ts";
import { clientTlsOptions } from "./tls-options.ts";

const schema = z.object(clientTlsOptions("a.b"));
const authority = createTestAuthority();
const pair = authority.issue("client");
const silent = pino({ level: "silent" });

function newFolder() {
  const folder = createTlsFolder(pair, authority.cert);
  onTestFinished(() => folder.remove());
  return folder;
}

function read(options: Record<string, string | boolean>) {
  return readClientTls(schema.parse(options), "a.b");
}

describe("readClientTls", () => {
  test("is undefined when not enabled", () => {
    expect(read({})).toBeUndefined();
  });

  test("reads nothing but that it is wanted", () => {
    expect(read({ "a.b.tls.enabled": true })).toEqual({ skipHostVerify: false });
  });

  test("reads all", () => {
    const { certPath, keyPath, caPath } = newFolder();
    expect(
      read({
        "a.b.tls.enabled": true,
        "a.b.tls.ca": caPath,
        "a.b.tls.cert": certPath,
        "a.b.tls.key": keyPath,
        "a.b.tls.server-name": "collector",
        "a.b.tls.skip-host-verify": true,
      }),
    ).toEqual({
      ca: Buffer.from(authority.cert),
      cert: Buffer.from(pair.cert),
      key: Buffer.from(pair.key),
      serverName: "collector",
      skipHostVerify: true,
    });
  });

  test.each<[Record<string, string | boolean>, string]>([
    [{ "a.b.tls.ca": "/x" }, "a.b.tls.* options cannot be used when a.b.tls.enabled is false"],
    [{ "a.b.tls.skip-host-verify": true }, "a.b.tls.* options cannot be used when a.b.tls.enabled is false"],
    [{ "a.b.tls.enabled": true, "a.b.tls.cert": "/x" }, "--a.b.tls.cert and --a.b.tls.key go together"],
    [{ "a.b.tls.enabled": true, "a.b.tls.key": "/x" }, "--a.b.tls.cert and --a.b.tls.key go together"],
    [{ "a.b.tls.enabled": true, "a.b.tls.ca": "/none" }, "option --a.b.tls.ca: cannot read /none"],
  ])("refuses %j", (options, message) => {
    expect(() => read(options)).toThrow(message);
  });
});

describe("openClientTls", () => {
  test("is undefined when not enabled", () => {
    expect(openClientTls(schema.parse({}), "a.b", silent)).toBeUndefined();
  });

  test("gives new files", async () => {
    const { caPath, swap } = newFolder();
    const tls = openClientTls(schema.parse({ "a.b.tls.enabled": true, "a.b.tls.ca": caPath }), "a.b", silent);
    onTestFinished(() => tls?.close());
    const next = createTestAuthority("next");
    const changed = new Promise((resolve) => tls?.onChange(resolve));
    swap(pair, next.cert);
    expect(await changed).toEqual({ ca: Buffer.from(next.cert), skipHostVerify: false });
    expect(tls?.material.ca?.toString()).toBe(next.cert);
  });
});
