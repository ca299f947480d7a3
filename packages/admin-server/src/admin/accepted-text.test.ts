import { AdapterRegistry } from "server-core/adapters/adapter-registry";
import { expect, test } from "vitest";
import { standardAdapters } from "../standard-adapters.ts";
import { acceptedText } from "./accepted-text.ts";

const adapters = new AdapterRegistry(standardAdapters);

test.each([
  ["", undefined],
  ["*/*", undefined],
  ["application/json", undefined],
  ["text/html, */*", undefined],
  ["application/toml", undefined],
  ["text/serverfile", "text/serverfile"],
  ["Text/Serverfile; charset=utf-8", "text/serverfile"],
  ["text/caddyfile", "text/caddyfile"],
  ["text/serverfile, */*;q=0.1", "text/serverfile"],
  ["text/serverfile;q=0.5, text/caddyfile", "text/caddyfile"],
  ["application/json, text/serverfile", undefined],
  ["application/json;q=0.5, text/serverfile", "text/serverfile"],
  ["text/serverfile;q=0", undefined],
  ["text/serverfile;q=x", undefined],
])("Accept: %s", (accept, mediaType) => {
  expect(acceptedText(accept, adapters)?.mediaType).toBe(mediaType);
});
