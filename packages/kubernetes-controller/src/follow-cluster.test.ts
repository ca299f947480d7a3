import { createTestAuthority } from "lifecycle/testing";
import { ask } from "server-core/testing/ask";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { collections, controllerName, SampleCluster } from "./testing/sample-cluster.ts";

const waits = { timeout: 60_000, interval: 20 };

let cluster: SampleCluster;
beforeEach(async () => {
  cluster = await SampleCluster.start();
});
afterEach(() => cluster.close());

const rule = (host: string, name: string, path = "/", pathType = "Prefix") => ({
  host,
  http: { paths: [{ path, pathType, backend: { service: { name, port: { number: 80 } } } }] },
});

/** One Ingress for `a.test`, which is served. */
async function serveFirst(): Promise<void> {
  cluster.ingressClass();
  await cluster.openBackend("a");
  cluster.ingress("first", { rules: [rule("a.test", "a")] });
  cluster.follow();
  await vi.waitFor(async () => expect(await cluster.get("a.test")).toBe("200 a a.test /"), waits);
}

describe("an Ingress", () => {
  test("is served while it is there, with the pods of its Service, and has the server's address", async () => {
    cluster.ingressClass();
    await cluster.openBackend("a");
    cluster.ingress("first", { rules: [rule("a.test", "a", "/x")] });
    cluster.follow();
    await vi.waitFor(
      async () => expect(await cluster.get("a.test", "/x/y")).toBe("200 a a.test /x/y"),
      waits,
    );
    expect(await cluster.get("a.test", "/xy")).toBe("404");
    expect(await cluster.get("a.test", "/X")).toBe("404");
    expect(await cluster.get("b.test", "/x")).toBe("404");
    const status = { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } };
    await vi.waitFor(
      () => expect(cluster.api.get(collections.ingress, "default/first")?.status).toEqual(status),
      waits,
    );
    const history = JSON.parse((await cluster.server.admin("GET", "/history")).text) as { cause?: string }[];
    expect(history.map(({ cause }) => cause)).toContain("POST /config/");
    cluster.api.delete(collections.ingress, "default/first");
    await vi.waitFor(async () => expect(await cluster.get("a.test", "/x")).toBe("closed"), waits);
    expect(JSON.parse((await cluster.server.admin("GET", "/config/")).text)).toEqual({
      apps: { http: { servers: { mine: { listen: ["127.0.0.1:0"] } } } },
    });
  });

  test("has a pod while its slice says that it is ready", async () => {
    await serveFirst();
    const slice = cluster.api.get(collections.slice, "default/a-1") as never as object & { metadata: never };
    const with1 = { addresses: ["127.0.0.1"], conditions: { ready: false } };
    cluster.api.apply(collections.slice, { ...slice, endpoints: [with1] });
    const none = "503 no endpoint is ready";
    await vi.waitFor(async () => expect(await cluster.get("a.test")).toBe(none), waits);
    cluster.api.apply(collections.slice, { ...slice });
    await vi.waitFor(async () => expect(await cluster.get("a.test")).toBe("200 a a.test /"), waits);
  });
});

describe("annotations of ingress-nginx", () => {
  test("make paths of the type Prefix patterns, and rewrite by their groups", async () => {
    cluster.ingressClass();
    await cluster.openBackend("a");
    const annotations = {
      "nginx.ingress.kubernetes.io/use-regex": "true",
      "nginx.ingress.kubernetes.io/rewrite-target": "/$2",
    };
    cluster.ingress("first", { rules: [rule("a.test", "a", "/order(/|$)(.*)")] }, annotations);
    cluster.follow();
    await vi.waitFor(
      async () => expect(await cluster.get("a.test", "/order/x%20y?z=1")).toBe("200 a a.test /x%20y?z=1"),
      waits,
    );
    expect(await cluster.get("a.test", "/order")).toBe("200 a a.test /");
    expect(await cluster.get("a.test", "/orders")).toBe("404");
  });
});

describe("an Ingress with TLS", () => {
  test("has the Secret's certificate, also the next one, and redirects plain HTTP", async () => {
    cluster.ingressClass();
    await cluster.openBackend("a");
    cluster.secret("cert", "one", "a.test");
    cluster.ingress("first", {
      ...{ tls: [{ hosts: ["a.test"], secretName: "cert" }], rules: [rule("a.test", "a")] },
    });
    cluster.follow();
    await vi.waitFor(async () => expect(await cluster.secureGet("a.test")).toBe("200 one"), waits);
    const { http, https } = cluster.ports;
    const plain = await ask(`http://127.0.0.1:${http}/x?y=z`, { headers: { Host: "a.test" } });
    expect([plain.status, plain.headers.location]).toEqual([308, `https://a.test:${https}/x?y=z`]);
    cluster.secret("cert", "two", "a.test");
    await vi.waitFor(async () => expect(await cluster.secureGet("a.test")).toBe("200 two"), waits);
  });

  test("without its Secret costs only its own handshakes", async () => {
    cluster.ingressClass();
    await cluster.openBackend("a");
    cluster.ingress("first", {
      ...{ tls: [{ hosts: ["a.test"], secretName: "none" }], rules: [rule("a.test", "a")] },
    });
    cluster.ingress("second", { rules: [rule("b.test", "a")] });
    const warnings = cluster.follow();
    await vi.waitFor(async () => expect(await cluster.get("b.test")).toBe("200 a b.test /"), waits);
    expect(await cluster.secureGet("a.test")).toBe("closed");
    const text = "Ingress default/first: InvalidCertificate: Secret default/none";
    await vi.waitFor(() => expect(warnings().join()).toContain(text), waits);
    const event = { reason: "InvalidCertificate", type: "Warning", involvedObject: { name: "first" } };
    await vi.waitFor(() => expect(cluster.api.all(collections.event)).toMatchObject([event]), waits);
  });
});

describe("what is wrong in a cluster", () => {
  test("costs only the object that it is in", async () => {
    cluster.ingressClass();
    await cluster.openBackend("a");
    const nginx = "nginx.ingress.kubernetes.io";
    const regular = { rules: [rule("a.test", "a", "/(", "ImplementationSpecific")] };
    cluster.ingress("bad-pattern", regular, { [`${nginx}/use-regex`]: "true" });
    const guarded = { rules: [rule("a.test", "a", "/secret")] };
    cluster.ingress("guarded", guarded, { [`${nginx}/auth-url`]: "http://auth" });
    cluster.ingress("no-service", { rules: [rule("a.test", "none", "/none")] });
    cluster.ingress("other-class", { ingressClassName: "nginx", rules: [rule("a.test", "a", "/other")] });
    cluster.ingress("good", { rules: [rule("a.test", "a", "/good")] });
    const warnings = cluster.follow();
    await vi.waitFor(async () => expect(await cluster.get("a.test", "/good")).toContain("200"), waits);
    expect(await cluster.get("a.test", "/secret")).toBe("404");
    expect(await cluster.get("a.test", "/other")).toBe("404");
    expect(await cluster.get("a.test", "/none")).toBe("503 no such backend");
    const reasons = [
      "default/bad-pattern: InvalidPath",
      "default/guarded: Rejected",
      "default/no-service: Backend",
    ];
    await vi.waitFor(
      () => expect(warnings()).toEqual(reasons.map((reason) => expect.stringContaining(reason))),
      waits,
    );
  });

  test("a route that the server refuses is left out, and its condition has the reason", async () => {
    await cluster.openBackend("a");
    cluster.gateway({ name: "http", port: cluster.ports.http, protocol: "HTTP" });
    const faulty = { matches: [{ queryParams: [{ name: "a b)", value: "*" }] }] };
    for (let index = 0; index < 9; index++) {
      const rules = [{ backendRefs: [{ name: "a", port: 80 }], ...(index === 4 ? faulty : {}) }];
      cluster.httpRoute(`r${index}`, { hostnames: [`r${index}.test`], rules });
    }
    cluster.follow();
    await vi.waitFor(async () => expect(await cluster.get("r8.test")).toBe("200 a r8.test /"), waits);
    expect(await cluster.get("r4.test")).toBe("404");
    expect(await cluster.get("r0.test")).toBe("200 a r0.test /");
    const refused = { type: "Accepted", status: "False", reason: "UnsupportedValue" };
    await vi.waitFor(
      () =>
        expect(cluster.api.get(collections.httpRoute, "default/r4")?.status).toMatchObject({
          parents: [{ conditions: [{}, refused] }],
        }),
      waits,
    );
  });
});

describe("a cluster that is followed", () => {
  test("is listed again after its history is gone, and bookmarks are understood", async () => {
    await serveFirst();
    cluster.api.bookmark();
    cluster.api.delete(collections.ingress, "default/first");
    cluster.ingress("second", { rules: [rule("b.test", "a")] });
    cluster.api.compact();
    await vi.waitFor(
      async () =>
        expect([await cluster.get("b.test"), await cluster.get("a.test")]).toEqual(["200 a b.test /", "404"]),
      waits,
    );
  });

  test("keeps what runs while the API server is away or fails", async () => {
    await serveFirst();
    await cluster.api.stop();
    expect(await cluster.get("a.test")).toBe("200 a a.test /");
    cluster.ingress("second", { rules: [rule("b.test", "a")] });
    cluster.api.failures.push(500, 429, 503);
    await cluster.api.start();
    await vi.waitFor(async () => expect(await cluster.get("b.test")).toBe("200 a b.test /"), waits);
    expect(await cluster.get("a.test")).toBe("200 a a.test /");
  });

  test("may be without the Gateway API", async () => {
    await cluster.close();
    cluster = await SampleCluster.start(true);
    await serveFirst();
    expect(cluster.api.asked.filter((asked) => asked.endsWith("/gateways")).length).toBeGreaterThan(0);
  });

  test("does not undo what others configure at the same time", async () => {
    cluster.ingressClass();
    await cluster.openBackend("a");
    cluster.ingress("first", { rules: [rule("a.test", "a")] });
    let races = 0;
    cluster.follow({
      async ask(method, path, body, ifMatch) {
        if (path === "/config/" && method === "POST" && races < 3) {
          races++;
          const other = await cluster.server.admin("PUT", `/config/logging/logs/other${races}`, {
            level: "WARN",
          });
          expect(other.status).toBe(200);
        }
        return cluster.ask(method, path, body, ifMatch);
      },
    });
    await vi.waitFor(async () => expect(await cluster.get("a.test")).toBe("200 a a.test /"), waits);
    const { text } = await cluster.server.admin("GET", "/config/logging/logs");
    expect(Object.keys(JSON.parse(text) as object)).toEqual(["other1", "other2", "other3"]);
  });
});

describe("a Gateway", () => {
  test("serves the routes that are attached to it, and says so", async () => {
    await cluster.openBackend("a");
    await cluster.openBackend("b");
    cluster.gateway({ name: "http", port: cluster.ports.http, protocol: "HTTP", hostname: "*.test" });
    const urlRewrite = { path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/" } };
    cluster.httpRoute("r", {
      hostnames: ["x.y.test"],
      rules: [
        { backendRefs: [{ name: "a", port: 80 }] },
        {
          matches: [{ path: { type: "PathPrefix", value: "/b" } }],
          filters: [{ type: "URLRewrite", urlRewrite }],
          backendRefs: [{ name: "b", port: 80 }],
        },
      ],
    });
    cluster.follow();
    await vi.waitFor(
      async () => expect(await cluster.get("x.y.test", "/b/c?d=e")).toBe("200 b x.y.test /c?d=e"),
      waits,
    );
    expect(await cluster.get("x.y.test", "/c")).toBe("200 a x.y.test /c");
    expect(await cluster.get("z.test", "/c")).toBe("404");
    const conditions = [
      { type: "ResolvedRefs", status: "True", observedGeneration: 1 },
      { type: "Accepted", status: "True" },
    ];
    const parents = [{ controllerName, parentRef: { name: "gw" }, conditions }];
    await vi.waitFor(
      () => expect(cluster.api.get(collections.httpRoute, "default/r")?.status).toMatchObject({ parents }),
      waits,
    );
    expect(cluster.api.get(collections.gateway, "default/gw")?.status).toMatchObject({
      addresses: [{ type: "IPAddress", value: "192.0.2.1" }],
      listeners: [{ name: "http", attachedRoutes: 1 }],
    });
  });

  test("leaves the entries of other controllers in a route's status, in their places", async () => {
    await cluster.openBackend("a");
    cluster.gateway({ name: "http", port: cluster.ports.http, protocol: "HTTP" });
    const entry = (name: string) => ({
      parentRef: { name },
      controllerName: `${name}/controller`,
      conditions: [],
    });
    const stale = { ...entry("gone"), controllerName };
    cluster.api.apply(collections.httpRoute, {
      metadata: { name: "r", namespace: "default" },
      spec: {
        parentRefs: [{ name: "one" }, { name: "gw" }],
        rules: [{ backendRefs: [{ name: "a", port: 80 }] }],
      },
      status: { parents: [entry("one"), stale, { ...entry("gw"), controllerName }, entry("two")] },
    });
    cluster.follow();
    const own = { controllerName, parentRef: { name: "gw" }, conditions: [{}, {}] };
    await vi.waitFor(
      () =>
        expect(cluster.api.get(collections.httpRoute, "default/r")?.status).toMatchObject({
          parents: [entry("one"), own, entry("two")],
        }),
      waits,
    );
  });

  test("passes TLS through to the pods of a TLSRoute, beside HTTPS on the same port", async () => {
    const authority = createTestAuthority();
    await cluster.openBackend("through", "web", authority.issue("the pod", "a.pass.test"));
    await cluster.openBackend("a");
    cluster.secret("cert", "the gateway", "b.test");
    const tls = { certificateRefs: [{ name: "cert" }] };
    const port = cluster.ports.https;
    cluster.gateway(
      { name: "https", port, protocol: "HTTPS", tls },
      { name: "tls", port, protocol: "TLS", hostname: "*.pass.test", tls: { mode: "Passthrough" } },
    );
    cluster.httpRoute("r", { rules: [{ backendRefs: [{ name: "a", port: 80 }] }] });
    cluster.api.apply(collections.tlsRoute, {
      metadata: { name: "t", namespace: "default" },
      spec: { parentRefs: [{ name: "gw" }], rules: [{ backendRefs: [{ name: "through", port: 80 }] }] },
    });
    cluster.follow();
    await vi.waitFor(async () => expect(await cluster.secureGet("a.pass.test")).toBe("200 the pod"), waits);
    expect(await cluster.secureGet("b.test")).toBe("200 the gateway");
    // Without HTTPS on this port, other names are closed.
    cluster.gateway(
      ...[{ name: "tls", port, protocol: "TLS", hostname: "*.pass.test", tls: { mode: "Passthrough" } }],
    );
    await vi.waitFor(async () => expect(await cluster.secureGet("b.test")).toBe("closed"), waits);
    expect(await cluster.secureGet("a.pass.test")).toBe("200 the pod");
  });
});
