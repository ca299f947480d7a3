// Texts of the option `layer4`, and back. The documents are those of Caddy with caddy-l4.

import { expect, test } from "vitest";
import { adaptText, textOfConfig } from "../testing/texts.ts";

/** In braces, each on its own line. */
const option = (lines: string) =>
  `{\n\tlayer4 {\n${lines.replaceAll("{ ", "{\n").replaceAll(" }", "\n}")}\n\t}\n}\n`;

test.each([
  [":1 { route { echo } }", { srv0: { listen: [":1"], routes: [{ handle: [{ handler: "echo" }] }] } }],
  [
    ":1 127.0.0.1:2 {\n matching_timeout 5s\n @a ssh\n @b {\n tls sni a.test b.test\n remote_ip private_ranges 192.0.2.1\n }\n route @a @b {\n proxy 127.0.0.1:3 127.0.0.1:4\n }\n route {\n close\n }\n }",
    {
      srv0: {
        listen: [":1", "127.0.0.1:2"],
        matching_timeout: 5_000_000_000,
        routes: [
          {
            match: [
              { ssh: {} },
              {
                tls: { sni: ["a.test", "b.test"] },
                remote_ip: {
                  ranges: [
                    "192.168.0.0/16",
                    "172.16.0.0/12",
                    "10.0.0.0/8",
                    "127.0.0.1/8",
                    "fd00::/8",
                    "::1",
                    "192.0.2.1",
                  ],
                },
              },
            ],
            handle: [{ handler: "proxy", upstreams: [{ dial: ["127.0.0.1:3"] }, { dial: ["127.0.0.1:4"] }] }],
          },
          { handle: [{ handler: "close" }] },
        ],
      },
    },
  ],
  [
    ":1 {\n @w http host a.test\n @n not tls\n @p postgres {\n user bob db1 db2\n user eve\n client psql\n tls disabled\n }\n @r regexp ^ab 2 hex\n @s socks4 {\n ports 80 443\n }\n route @w @n @p @r @s {\n proxy {\n upstream a:1 b:2 {\n local_addr 10.0.0.1 ::1\n resolver_preference ipv4_first\n max_connections 5\n tls\n tls_server_name x\n weight 2\n }\n lb_policy random_choose 3\n lb_try_duration 1s\n health_interval 2s\n fail_duration 3s\n proxy_protocol v2\n }\n }\n }",
    {
      srv0: {
        listen: [":1"],
        routes: [
          {
            match: [
              { http: [{ host: ["a.test"] }] },
              { not: [{ tls: {} }] },
              { postgres: { user: { bob: ["db1", "db2"], eve: null }, client: ["psql"], tls: "disabled" } },
              { regexp: { pattern: "^ab", count: 2, hex: true } },
              { socks4: { ports: [80, 443] } },
            ],
            handle: [
              {
                handler: "proxy",
                upstreams: [
                  {
                    dial: ["a:1", "b:2"],
                    local_address: ["10.0.0.1", "::1"],
                    resolver_preference: "ipv4_first",
                    max_connections: 5,
                    weight: 2,
                    tls: { server_name: "x" },
                  },
                ],
                load_balancing: {
                  selection: { policy: "random_choose", choose: 3 },
                  try_duration: 1_000_000_000,
                },
                health_checks: {
                  active: { interval: 2_000_000_000 },
                  passive: { fail_duration: 3_000_000_000 },
                },
                proxy_protocol: "v2",
              },
            ],
          },
        ],
      },
    },
  ],
  [
    ":1 {\n route {\n proxy_protocol {\n allow 10.0.0.0/8\n fallback_policy reject\n timeout 2s\n }\n throttle {\n latency 1s\n read_bytes_per_second 100\n }\n tee {\n echo\n }\n vars a b\n tls {\n connection_policy {\n alpn h2\n match {\n sni a.test\n }\n }\n }\n subroute {\n @x xmpp\n route @x {\n echo\n }\n }\n }\n }\n :2 {\n @c clock 08:00:00 17:00:00 Europe/Berlin\n route @c\n }",
    {
      srv0: {
        listen: [":1"],
        routes: [
          {
            handle: [
              {
                handler: "proxy_protocol",
                allow: ["10.0.0.0/8"],
                fallback_policy: "REJECT",
                timeout: 2_000_000_000,
              },
              { handler: "throttle", latency: 1_000_000_000, read_bytes_per_second: 100 },
              { handler: "tee", branch: [{ handler: "echo" }] },
              { handler: "vars", a: "b" },
              { handler: "tls", connection_policies: [{ alpn: ["h2"], match: { sni: ["a.test"] } }] },
              {
                handler: "subroute",
                routes: [{ match: [{ xmpp: {} }], handle: [{ handler: "echo" }] }],
              },
            ],
          },
        ],
      },
      srv1: {
        listen: [":2"],
        routes: [
          { match: [{ clock: { after: "08:00:00", before: "17:00:00", timezone: "Europe/Berlin" } }] },
        ],
      },
    },
  ],
  [
    ":1 {\n @m winbox {\n modes standard romon\n username_regexp ^a\n }\n @n winbox {\n username bob\n }\n route @m @n {\n postgres_tls\n socks5 {\n bind_ip 127.0.0.1\n commands CONNECT ASSOCIATE\n credentials bob secret eve 123\n }\n }\n route {\n socks5\n }\n }",
    {
      srv0: {
        listen: [":1"],
        routes: [
          {
            match: [
              { winbox: { modes: ["standard", "romon"], username_regexp: "^a" } },
              { winbox: { username: "bob" } },
            ],
            handle: [
              { handler: "postgres_tls" },
              {
                handler: "socks5",
                bind_ip: "127.0.0.1",
                commands: ["CONNECT", "ASSOCIATE"],
                credentials: { bob: "secret", eve: "123" },
              },
            ],
          },
          { handle: [{ handler: "socks5" }] },
        ],
      },
    },
  ],
  [
    ":1 {\n @d dns {\n allow * MX\n deny a.test.\n allow_regexp .* ^A$ *\n default_deny\n prefer_allow\n }\n @i remote_ip_list /etc/l4/list\n @r rdp {\n cookie_ip 10.0.0.0/8\n cookie_port 3389 3390\n }\n @h rdp {\n cookie_hash_regexp ^a\n }\n @v vars_regexp {l4.tls.server_name} ^a\n @w vars_regexp own a ^b\n route @d @i @r @h @v @w {\n close\n }\n }",
    {
      srv0: {
        listen: [":1"],
        routes: [
          {
            match: [
              {
                dns: {
                  allow: [{ type: "MX" }, { name_regexp: ".*", type_regexp: "^A$" }],
                  deny: [{ name: "a.test." }],
                  default_deny: true,
                  prefer_allow: true,
                },
              },
              { remote_ip_list: { remote_ip_file: "/etc/l4/list" } },
              { rdp: { cookie_ips: ["10.0.0.0/8"], cookie_ports: [3389, 3390] } },
              { rdp: { cookie_hash_regexp: "^a" } },
              { vars_regexp: { "{l4.tls.server_name}": { name: "v", pattern: "^a" } } },
              { vars_regexp: { a: { name: "own", pattern: "^b" } } },
            ],
            handle: [{ handler: "close" }],
          },
        ],
      },
    },
  ],
])("%s", async (lines, servers) => {
  const config = adaptText(option(lines));
  expect(config).toEqual({ apps: { layer4: { servers } } });
  expect(adaptText(await textOfConfig(config))).toEqual(config);
});

test.each([
  [":1 { route @x { echo } }", "undefined matcher set '@x'"],
  [":1 { route { nope } }", "module not registered: layer4.handlers.nope"],
  [":1 { @a nope\n route @a }", "module not registered: layer4.matchers.nope"],
  [":1 { @a rdp {\n cookie_hash a\n custom_info b\n }\n }", "can't be combined"],
  [":1 { @a ssh\n @a xmpp\n }", "duplicate matcher set '@a'"],
  [":1 { route { proxy { lb_policy uri_hash } } }", "layer4.proxy.selection_policies.uri_hash"],
])("%s is refused with its place", (lines, message) => {
  expect(() => adaptText(option(lines))).toThrow(message);
  expect(() => adaptText(option(lines))).toThrow(/Serverfile:\d+/);
});
