import { expect, test } from "vitest";
import { ownEngineAt } from "./own-engine.ts";

const credentials = { user: "default", password: "secret" };

test.each([
  { address: "127.0.0.1", url: "http://127.0.0.1:8123" },
  { address: "::", url: "http://127.0.0.1:8123" },
  { address: "0.0.0.0", url: "http://127.0.0.1:8123" },
  { address: "::1", url: "http://[::1]:8123" },
  { address: "10.0.0.7", url: "http://10.0.0.7:8123" },
])("calls $url when it listens on $address", ({ address, url }) => {
  expect(ownEngineAt({ address, port: 8123, family: "" }, credentials)).toEqual({
    urls: [url],
    ...credentials,
  });
});
