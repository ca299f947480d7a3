/**
 * A config as a small shop has it: a site with a proxy, one with a certificate of its own authority.
 * @param upstreams addresses behind the proxy
 */
export function shopConfig(upstreams: readonly string[]): unknown {
  return {
    admin: { history: { max_entries: 50 } },
    apps: {
      http: {
        grace_period: "10s",
        servers: {
          shop: {
            listen: ["127.0.0.1:0"],
            routes: [
              {
                "@id": "health",
                match: [{ path: ["/health"] }],
                handle: [{ handler: "static_response", body: "ok\n" }],
                terminal: true,
              },
              {
                match: [{ path: ["/broken"] }],
                handle: [{ handler: "static_response", status_code: 503 }],
                terminal: true,
              },
              {
                "@id": "catalogue",
                match: [{ host: ["*.shop.example", "127.0.0.1"], path: ["/api/*"] }],
                handle: [
                  { handler: "headers", response: { set: { "Cache-Control": ["no-store"] } } },
                  {
                    handler: "reverse_proxy",
                    upstreams: upstreams.map((dial) => ({ dial })),
                    health_checks: {
                      active: { uri: "/", interval: "200ms", timeout: "2s" },
                      passive: { fail_duration: "60s", max_fails: 10 },
                    },
                    load_balancing: { selection_policy: { policy: "round_robin" } },
                  },
                ],
              },
            ],
          },
          internal: {
            listen: ["127.0.0.2:0"],
            tls_connection_policies: [{}],
            routes: [
              {
                match: [{ host: ["intranet.localhost", "files.localhost"] }],
                handle: [{ handler: "static_response", body: "inside\n" }],
              },
            ],
          },
        },
      },
      pki: { certificate_authorities: { local: { install_trust: false } } },
    },
  };
}
