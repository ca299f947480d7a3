import { formatListenAddress } from "server-core/listen/listen-address";
import { describe, expect, test } from "vitest";
import { planAutomaticHttps } from "./automatic-https.ts";
import type { HttpAppConfig } from "./http-config.ts";

const route = (...host: string[]) => ({ match: [{ host }] });

/** A short form of a plan: addresses (`s` means TLS), names, and hosts and targets of redirects. */
function plan(servers: NonNullable<HttpAppConfig["servers"]>, more: Partial<HttpAppConfig> = {}) {
  return Object.fromEntries(
    planAutomaticHttps({ ...more, servers }).map(({ name, addresses, names, redirects }) => [
      name,
      {
        listen: addresses.map(
          ({ address, secure }) => `${formatListenAddress(address)}${secure ? " s" : ""}`,
        ),
        names,
        redirects: redirects.map(({ match, handle }) => {
          const { headers } = (handle ?? [])[0] as unknown as { headers: { Location: string[] } };
          return `${match?.[0]?.host ?? "all"} ${headers.Location[0]}`;
        }),
      },
    ]),
  );
}

const usual = "https://{http.request.host}{http.request.uri}";

describe("a server", () => {
  test("with names gets certificates for them, and redirects from the port of HTTP", () => {
    expect(
      plan({ s: { listen: [":443"], routes: [route("a.example", "B.example"), route("a b")] } }),
    ).toEqual({
      s: { listen: [":443 s"], names: ["a.example", "b.example"], redirects: [] },
      remaining_auto_https_redirects: {
        listen: [":80"],
        names: [],
        redirects: [`a.example,b.example,a b ${usual}`],
      },
    });
  });

  test("on another port is named with it in redirects", () => {
    const { remaining_auto_https_redirects: redirect } = plan({
      s: { listen: ["127.0.0.1:8443"], routes: [route("a.example")] },
    });
    expect(redirect).toEqual({
      listen: ["127.0.0.1:80"],
      names: [],
      redirects: ["a.example https://{http.request.host}:8443{http.request.uri}"],
    });
    const { remaining_auto_https_redirects: other } = plan(
      { s: { listen: [":9443"], routes: [route("a.example")] } },
      { https_port: 9443, http_port: 9080 },
    );
    expect(other).toMatchObject({ listen: [":9080"], redirects: [`a.example ${usual}`] });
  });

  test("only on the port of HTTPS speaks TLS without names too", () => {
    expect(plan({ s: { listen: [":443"] } })).toMatchObject({
      s: { listen: [":443 s"], names: [] },
      remaining_auto_https_redirects: { redirects: [`all ${usual}`] },
    });
  });

  test("on the port of HTTP too is plain there, and takes the redirects itself", () => {
    expect(plan({ s: { listen: [":80", ":443"], routes: [route("a.example")] } })).toEqual({
      s: { listen: [":80", ":443 s"], names: ["a.example"], redirects: [`a.example ${usual}`] },
    });
  });

  test("takes the redirects of others on the port of HTTP", () => {
    const planned = plan({
      plain: { listen: [":80"] },
      s: { listen: [":443"], routes: [route("a.example")] },
    });
    expect(planned.plain).toEqual({ listen: [":80"], names: [], redirects: [`a.example ${usual}`] });
    expect(Object.keys(planned)).toEqual(["plain", "s"]);
  });

  test.each([
    ["without names elsewhere", { listen: [":8080"], routes: [{}] }],
    ["only on the port of HTTP", { listen: [":80"], routes: [route("a.example")] }],
    ["on a port of the system's choice", { listen: [":0"], routes: [route("a.example")] }],
    [
      "that is told so",
      { listen: [":8443"], routes: [route("a.example")], automatic_https: { disable: true } },
    ],
    [
      "with all names skipped",
      { listen: [":8443"], routes: [route("a.example")], automatic_https: { skip: ["a.example"] } },
    ],
  ])("%s stays plain", (_, server) => {
    const planned = plan({ s: server });
    expect(Object.keys(planned)).toEqual(["s"]);
    expect(planned.s).toEqual({ listen: [server.listen[0]], names: [], redirects: [] });
  });

  test("may do without redirects, or certificates, or some of them", () => {
    const server = (auto: object) => ({
      s: { listen: [":443"], routes: [route("a.example", "b.example")], automatic_https: auto },
    });
    expect(plan(server({ disable_redirects: true }))).toEqual({
      s: { listen: [":443 s"], names: ["a.example", "b.example"], redirects: [] },
    });
    expect(plan(server({ disable_certificates: true })).s?.names).toEqual([]);
    expect(plan(server({ skip_certificates: ["a.example"] })).s?.names).toEqual(["b.example"]);
  });

  test("sends plain requests for any other host to HTTPS last, and logs them as the site does", () => {
    const logs = { logger_names: { "a.example": [""] } };
    const planned = planAutomaticHttps({
      servers: {
        plain: { listen: ["127.0.0.1:80"] },
        s: { listen: ["127.0.0.1:443", "127.0.0.2:443"], routes: [route("a.example")], logs },
      },
    });
    const locations = planned.map(({ name, catchAll, config }) => [
      name,
      catchAll?.match,
      (catchAll?.handle?.[0] as { headers: object } | undefined)?.headers,
      config.logs,
    ]);
    const all = [[{ protocol: "http" }], { Location: [usual] }];
    expect(locations).toEqual([
      ["plain", ...all, undefined],
      ["s", undefined, undefined, logs],
      ["remaining_auto_https_redirects", ...all, logs],
    ]);
  });
});
