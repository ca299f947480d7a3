import { expect, test } from "vitest";
import { certifiedNames } from "./certified-names.ts";

const document = (host?: string[]) =>
  JSON.stringify({
    apps: {
      http: {
        servers: {
          secure: { listen: ["127.0.0.1:8443"], routes: [host === undefined ? {} : { match: [{ host }] }] },
          plain: { listen: ["127.0.0.1:8080"], routes: [{ match: [{ host: ["plain.test"] }] }] },
        },
      },
    },
  });

test("names of a TLS server are certified, also by a wildcard of one label", () => {
  const names = certifiedNames(document(["a.test", "*.b.test"]), 8443);
  expect(["a.test", "x.b.test", "b.test", "y.x.b.test", "plain.test", "other.test"].map(names)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

test("a route for any host may get a certificate for any name", () => {
  expect(certifiedNames(document(), 8443)("other.test")).toBe(true);
});
