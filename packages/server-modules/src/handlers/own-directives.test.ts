import { expect, test } from "vitest";
import { adaptServerfile, toServerfile } from "../../../admin-server/src/testing/serverfile.ts";

/** Directives that Caddy lacks: the JSON of each, and the text that is made from this JSON. */
test.each([
  [
    "cache",
    "\tcache /a/* {\n\t\tmax_bytes 64MiB\n\t\tmax_object_bytes 512KiB\n\t\tdefault_ttl 5m\n\t}\n",
    { handler: "cache", max_bytes: 67_108_864, max_object_bytes: 524_288, default_ttl: 300e9 },
    [{ path: ["/a/*"] }],
  ],
  ["cache alone", "\tcache\n", { handler: "cache" }, undefined],
  [
    "rate_limit",
    "\trate_limit {\n\t\tzone each {\n\t\t\tkey {remote_host}\n\t\t\twindow 1m\n\t\t\tevents 10\n\t\t\tmax_keys 100\n\t\t\tmatch {\n\t\t\t\tmethod POST\n\t\t\t}\n\t\t}\n\t}\n",
    {
      handler: "rate_limit",
      rate_limits: {
        each: {
          key: "{http.request.remote.host}",
          window: 60e9,
          max_events: 10,
          max_keys: 100,
          match: [{ method: ["POST"] }],
        },
      },
    },
    undefined,
  ],
  [
    "oidc",
    "\toidc https://login.example.com {\n\t\tclient_id web\n\t\tclient_secret {env.SECRET}\n\t\tscopes profile email\n\t\tsession_lifetime 12h\n\t\tuser_info\n\t\tparameter prompt login\n\t\tcookie {\n\t\t\tname session\n\t\t\tsecure off\n\t\t}\n\t\tallow groups admins staff\n\t\theader X-User email\n\t}\n",
    {
      handler: "oidc",
      issuer: "https://login.example.com",
      client_id: "web",
      client_secret: "{env.SECRET}",
      scopes: ["profile", "email"],
      session_lifetime: 43_200e9,
      user_info: true,
      authorization_parameters: { prompt: "login" },
      cookie: { name: "session", secure: false },
      allow: [{ claim: "groups", values: ["admins", "staff"] }],
      headers: { "X-User": "email" },
    },
    undefined,
  ],
])("%s", async (_name, body, handler, match) => {
  const text = `:80 {\n${body}}\n`;
  const { result } = adaptServerfile(Buffer.from(text), {});
  const routes = [{ ...(match && { match }), handle: [handler] }];
  expect(result).toEqual({ apps: { http: { servers: { srv0: { listen: [":80"], routes } } } } });
  expect(await toServerfile(result)).toBe(text);
});

test.each([
  ["cache x", "wrong argument count"],
  ["cache {\nx\n}", "unrecognized cache subdirective 'x', at Serverfile:3"],
  ["cache {\ndefault_ttl x\n}", "invalid default_ttl 'x'"],
  ["oidc", "wrong argument count"],
  ["oidc https://a", "the 'client_id' subdirective is required"],
  ["oidc https://a {\ncookie {\nsecure x\n}\n}", "secure must be 'on' or 'off', got 'x', at Serverfile:4"],
])("refuses %j", (body, message) => {
  expect(() => adaptServerfile(Buffer.from(`:80 {\n${body}\n}\n`), {})).toThrow(message);
});
