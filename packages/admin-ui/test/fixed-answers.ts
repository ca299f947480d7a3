import type { Page } from "playwright-core";

/** The time of pictures, milliseconds since 1970. The page's clock stops there. */
const pictureTimeMs = Date.UTC(2026, 10, 21, 14, 5);

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** A time before or after the pictures, as the admin API writes it. */
function at(awayMs: number): string {
  return new Date(pictureTimeMs + awayMs).toISOString();
}

function certificate(names: readonly string[], fromMs: number, toMs: number, managed: boolean): unknown {
  return {
    ...{ names, issuer: managed ? "Local Authority - ECC Intermediate" : "Example Root CA" },
    ...{ serial: `7a4f${names[0]?.length}0c3e9d12b8`, fingerprint: `${names[0]?.length}c`.repeat(32) },
    ...{ not_before: at(fromMs), not_after: at(toMs), key_type: managed ? "ECDSA P-256" : "RSA 2048" },
    ...{ tags: managed ? [] : ["wildcard"], managed },
    renew_at: managed ? at(fromMs + ((toMs - fromMs) * 2) / 3) : null,
  };
}

/** Fingerprint of the first certificate of `runningAnswers`. */
export const firstFingerprint = "18c".repeat(32);

const certificates = {
  certificates: [
    certificate(["intranet.localhost"], -5 * hourMs, 7 * hourMs, true),
    certificate(["files.localhost"], -2 * hourMs, 10 * hourMs, true),
    certificate(["*.shop.example", "shop.example"], -300 * 24 * hourMs, 65 * 24 * hourMs, false),
  ],
  pending: [{ name: "new.shop.example", failures: 3, error: "the authority did not reach port 80" }],
};

const endsWithin = { "x-ends-within-days": "0=0, 7=2, 30=2, 90=3" };

const upstreams = [
  {
    ...{ address: "10.0.0.7:8080", num_requests: 2, fails: 0, healthy: true, latency_ms: 8.25 },
    ...{ last_response: at(-4_000), last_error: null, last_error_time: null },
    active_checks: [{ check: "/", healthy: true, checked: true, against: 0 }],
  },
  {
    ...{ address: "10.0.0.8:8080", num_requests: 1, fails: 3, healthy: true, latency_ms: 412 },
    ...{ last_response: at(-9_000), last_error: "read: connection reset", last_error_time: at(-minuteMs) },
    active_checks: [],
  },
  {
    ...{ address: "10.0.0.10:8080", num_requests: 0, fails: 0, healthy: true, latency_ms: null },
    ...{ last_response: null, last_error: null, last_error_time: null, active_checks: [] },
  },
  {
    ...{ address: "10.0.0.9:8080", num_requests: 0, fails: 10, healthy: false, latency_ms: null },
    ...{ last_response: null, last_error: "connect ECONNREFUSED", last_error_time: at(-2_000) },
    active_checks: [{ check: "/", healthy: false, checked: true, against: 10 }],
  },
];

const listeners = [
  { address: "127.0.0.1:8080", server: "shop", tls: false, protocols: ["h1"], connections: 12 },
  { address: "127.0.0.2:8443", server: "internal", tls: true, protocols: ["h1", "h2"], connections: 3 },
];

function route(
  place: string,
  [hosts, paths, handlers, upstreams]: readonly (readonly string[])[],
  [requests_per_second, errors_per_second, timed, p95_ms]: readonly (number | null)[],
): unknown {
  const [host_count, path_count, upstream_count] = [hosts, paths, upstreams].map(
    (names) => names?.length ?? 0,
  );
  return {
    ...{ at: `/apps/http/servers/${place}`, server: place.split("/")[0], kind: "", matchers: [] },
    ...{ hosts, host_count, paths, path_count, handlers, upstreams, upstream_count },
    unhealthy_upstreams: 0,
    ...{ requests_per_second, errors_per_second, timed, p95_ms },
  };
}

const pull = {
  ...{ url: "https://configs.example/shop.json", last_error: "status 503" },
  ...{ last_try: at(-20_000), last_success: at(-3 * minuteMs) },
};

const routes = [
  route(
    "shop/routes/2",
    [["*.shop.example"], ["/api/*"], ["headers", "reverse_proxy"], ["10.0.0.7:8080", "10.0.0.8:8080"]],
    [41.2, 0.1, 1_236, 84.5],
  ),
  route("shop/routes/0", [[], ["/health"], ["static_response"], []], [2, 0, 60, 0.42]),
  route("shop/routes/1", [[], ["/broken"], ["static_response 503"], []], [0.2, 0.2, 6, null]),
  route(
    "internal/routes/0",
    [["intranet.localhost", "files.localhost"], [], ["file_server"], []],
    [0, 0, 0, null],
  ),
];

const inShop = "/apps/http/servers/shop";
const way = {
  ...{
    server: "shop",
    listeners: [],
    failure: null,
    status: null,
    headers: { "Cache-Control": ["no-store"] },
  },
  routes: [
    {
      at: `${inShop}/routes/2`,
      handlers: [
        { at: `${inShop}/routes/2/handle/0`, name: "headers", effect: "changes the answer" },
        { at: `${inShop}/routes/2/handle/1`, name: "reverse_proxy", effect: "answers" },
      ],
      after: { method: "GET", host: "eu.shop.example", uri: "/items?page=2" },
    },
  ],
  passed: [0, 1].map((index) => ({ at: `${inShop}/routes/${index}`, refused_by: ["path"] })),
  passed_count: 2,
  answered_by: { at: `${inShop}/routes/2/handle/1`, name: "reverse_proxy", config: null },
  may_answer_before: [],
};

const history = [
  { n: 3, at: at(-3 * minuteMs), author: "127.0.0.1", bytes: 1_712, cause: "PATCH /config/" },
  { n: 2, at: at(-2 * hourMs), author: "127.0.0.1", bytes: 1_710, cause: "POST /load" },
  { n: 1, at: at(-26 * hourMs), author: "10.0.0.2, rollback to 7", bytes: 1_708 },
];

const version = { apps: { http: { grace_period: "10s", http_port: 80 } } };
const back = [
  { op: "replace", path: "/apps/http/grace_period", value: "10s" },
  { op: "add", path: "/apps/http/http_port", value: 80 },
];
const change = [
  { op: "replace", path: "/apps/http/grace_period", value: "30s" },
  { op: "remove", path: "/apps/http/http_port" },
];

/**
 * Answers of the admin API in pictures, by path, lists by their path alone. They replace everything that is
 * never the same twice.
 */
const runningAnswers: Record<string, unknown> = {
  "/tls/certificates": certificates,
  "/reverse_proxy/upstreams": upstreams,
  "/listeners": listeners,
  "/http/routes": routes,
  "/http/rehearsal": way,
  "/pull": pull,
  "/history": history,
  "/history/1": version,
  "/history/2": version,
  "/history/1/diff?from=3": back,
  "/history/3/diff?from=2": change,
};

/** The same of a server without a config. */
const emptyAnswers: Record<string, unknown> = {
  "/tls/certificates": { certificates: [], pending: [] },
  "/reverse_proxy/upstreams": [],
  "/listeners": [],
  "/http/routes": [],
  "/pull": null,
  "/history": [],
};

/** How many readings of the counters the overview gets: one minute of them. */
const readings = 30;

/** Text that is on the overview after the last reading. */
const lastReadingText = "142 MB of memory";

/** Counters of a server with waves of requests, some of them failing. @param reading from 1 on */
function countersAt(reading: number, running: boolean): string {
  let [shop, broken] = [0, 0];
  for (let step = 1; step < reading; step += 1) {
    shop += 80 + Math.round(50 * Math.sin(step / 6));
    if (step % 9 < 2) {
      broken += 6;
    }
  }
  const servers = [
    `server_http_responses_total{server="shop",class="2xx"} ${shop}`,
    `server_http_responses_total{server="shop",class="5xx"} ${broken}`,
    `server_http_responses_total{server="internal",class="2xx"} ${reading * 4}`,
    'server_http_requests_in_flight{server="shop"} 5',
    'server_http_requests_in_flight{server="internal"} 0',
  ];
  return [
    ...(running ? servers : []),
    `process_resident_memory_bytes ${reading === readings ? 142e6 : 140e6}`,
    `process_start_time_seconds ${(pictureTimeMs - 53 * hourMs) / 1_000}`,
  ].join("\n");
}

/**
 * Stops the page's clock, and replaces those answers of the server that are never the same. The config, its
 * schema and the server's answers to a change stay real.
 * @param running whether the server has a config
 * @param failing path of the list that it cannot answer
 */
export async function fixAnswers(page: Page, running: boolean, failing?: string): Promise<void> {
  const answers = running ? runningAnswers : emptyAnswers;
  await page.clock.setFixedTime(pictureTimeMs);
  await page.route(
    ({ pathname, search }) => pathname + search in answers || pathname in answers,
    (route) => {
      const { pathname, search } = new URL(route.request().url());
      if (pathname !== failing) {
        const headers = pathname === "/tls/certificates" && running ? endsWithin : {};
        return route.fulfill({ json: answers[pathname + search] ?? answers[pathname], headers });
      }
      return route.fulfill({ status: 500, json: { error: "the workers did not answer in 5 seconds" } });
    },
  );
  await page.route("**/metrics", (route) =>
    route.fulfill({ contentType: "text/plain", body: countersAt(1, running) }),
  );
  // A question that is never answered must not become a gap in the curves, however long the pictures take.
  await page.addInitScript(() => {
    AbortSignal.timeout = () => new AbortController().signal;
  });
}

/** Lets a minute pass on the overview: each reading finds the clock two seconds later, the last one at the time of pictures. */
export async function passReadings(page: Page): Promise<void> {
  let reading = 0;
  await page.route("**/metrics", async (route) => {
    // After the last one nothing is counted any more, and the curves stand still.
    if (reading >= readings) {
      return;
    }
    reading += 1;
    await page.clock.setFixedTime(pictureTimeMs - (readings - reading) * 2_000);
    await route.fulfill({ contentType: "text/plain", body: countersAt(reading, true) });
  });
  while (reading < readings) {
    await page.clock.runFor(2_000);
  }
  await page.getByText(lastReadingText).waitFor();
  // Times that are said as so long ago are set once a second.
  await page.clock.runFor(1_000);
}
