import { standardModules } from "server-modules/standard";
import { expect, test } from "vitest";
import { faultChains, faultEncodings } from "./fault-sites.ts";

/** Handlers that work only inside others (which chains contain), or that need their own authority. */
const notAlone = new Set(["copy_response", "copy_response_headers", "acme_server"]);

const below = (space: string) =>
  standardModules.flatMap(({ id }) => (id.startsWith(space) ? [id.slice(space.length)] : []));

test("no standard handler is left out", async () => {
  const chains = Object.keys(await faultChains({ bad: "127.0.0.1:1" }));
  const left = below("http.handlers.").filter((name) => !chains.includes(name) && !notAlone.has(name));
  expect(left, "handlers without a chain in fault-sites.ts").toEqual([]);
});

test("no encoder is left out", () => {
  expect(below("http.encoders.").filter((name) => !Object.hasOwn(faultEncodings, name))).toEqual([]);
});
