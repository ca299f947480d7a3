import type { Page } from "playwright-core";
import { chatTrace } from "./fixtures/chat-trace.ts";
import type { FixtureAnswers } from "./fixtures/fixture-server.ts";
import { someViews } from "./fixtures/fixture-views.ts";
import { someObjectives } from "./fixtures/objectives-answer.ts";
import { fixtureNowUs, type ShopStore } from "./fixtures/shop-store.ts";
import { rankedItem, spanItem } from "./span-rows.ts";

/** One thing that the app can show, for checks and pictures that every page must pass. */
export interface Scene {
  name: string;
  /** Path and search of the address. */
  address: (store: ShopStore) => string;
  /** Is there once the scene can be looked at. */
  sign: string;
  /** Steps on the page before that. */
  act?: (page: Page) => Promise<void>;
  /** Answers of the server that differ from those for the shop's traces. */
  answers?: Partial<FixtureAnswers>;
}

const charge = ({ declined }: ShopStore) =>
  declined.spans.find(({ operationName }) => operationName === "Charge")?.spanID ?? "";
const trace = (search: string) => (store: ShopStore) => `/trace/${store.declined.traceID}${search}`;

async function openShare(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.locator(".share").waitFor();
}

const part = "20261126_5_5_0 of tracing.spans is damaged and set aside: 20000 rows";
/** The missing data of answers: a shard, and parts of two hours. */
export const lacking = [
  {
    kind: "shard-away",
    name: "2",
    text: "no server of shard 2 answers: http://clickhouse-3:8123, http://clickhouse-4:8123",
  },
  ...[1, 2, 3].map((hour) => ({
    ...{ kind: "part-damaged", name: `tracing.spans 2026112${hour}_5_5_0`, text: `part ${part} are missing` },
    startUnixMs: Date.UTC(2026, 10, 26, hour),
    endUnixMs: Date.UTC(2026, 10, 26, hour, 59, 59),
  })),
];

const chat = chatTrace(fixtureNowUs - 60_000_000, 3);
/** Prices that make a call of `chatTrace` cost a cent and two tenths. */
export const smallModelPrices = {
  currency: "USD",
  models: [{ model: "small-*", input: 10, output: 20 }],
};

/** Every page of the app, and what opens over it; a page that is added gets a line here. */
export const scenes: readonly Scene[] = [
  { name: "search", address: () => "/search?lookback=15m&limit=50", sign: ".result" },
  {
    name: "search-brushed",
    address: () => "/search?lookback=15m&limit=50",
    sign: ".differences li",
    async act(page) {
      await page.getByText(/Latency of spans \d/).waitFor();
      await page.locator("[data-heat-map]").focus();
      for (const key of ["ArrowLeft", "Shift+ArrowUp", "Shift+ArrowLeft", "Shift+ArrowLeft", "Enter"]) {
        await page.keyboard.press(key);
      }
    },
  },
  {
    name: "partial",
    address: () => "/search?lookback=15m&limit=50",
    sign: ".partial-banner",
    act: async (page) => {
      await page.locator(".result").first().waitFor();
      await page.getByText("1 more").click();
    },
    answers: { partial: lacking },
  },
  {
    name: "search-columns",
    address: () =>
      "/search?lookback=15m&limit=50&cols=span.http.response.status_code,span.http.route&sort=@span.http.route",
    sign: "#column-menu:popover-open",
    act: async (page) => {
      await page.locator(".result").first().waitFor();
      await page.getByRole("button", { name: "Columns and groups" }).click();
    },
  },
  {
    name: "search-groups",
    address: () => "/search?lookback=15m&group=span.http.route",
    sign: ".groups tbody tr",
  },
  {
    name: "search-mistakes",
    address: () => "/search?service=frontend&tags=error&minDuration=3&lookback=custom",
    sign: ".field-error",
  },
  {
    name: "search-nothing",
    address: () => "/search?service=frontend&tags=no%3Dsuch",
    sign: ".notice",
  },
  {
    name: "search-menu",
    address: () => "/search?service=frontend",
    sign: "#search-menu:popover-open",
    act: async (page) => {
      await page.locator(".result").first().waitFor();
      await page.getByRole("button", { name: "More" }).click();
    },
  },
  ...[0, 1, 1_500].map((count) => ({
    name: `share-${count}`,
    address: () => "/search?service=frontend",
    sign: count === 0 ? ".share .muted" : ".share-view",
    answers: { views: someViews(count) },
    act: openShare,
  })),
  {
    name: "share-without-a-folder",
    address: () => "/search?service=frontend",
    sign: ".share [role=alert]",
    act: openShare,
  },
  {
    name: "live",
    address: () => "/search?live=1",
    sign: ".tail-operation",
    answers: {
      tail: `event: spans\ndata: ${JSON.stringify({
        spans: ["Charge", "Refund"].map((operation, index) => ({
          ...{ traceID: "a1", spanID: operation, parentSpanID: "", service: "payment", kind: "server" },
          ...{ operation, error: index === 0, start: 1_795_269_731_000_000, duration: 1_500, tags: [] },
        })),
      })}\n\n`,
    },
  },
  { name: "first-span", address: () => "/search", sign: ".notice, .first-span", answers: { traces: [] } },
  {
    name: "failure",
    address: () => "/search?service=frontend",
    sign: ".notice",
    answers: { failure: { status: 502, text: "dial tcp 127.0.0.1:8123: connection refused" } },
  },
  { name: "services", address: () => "/services", sign: ".rates tbody tr" },
  { name: "service", address: () => "/services?service=payment", sign: ".rate-plot path" },
  { name: "services-none", address: () => "/services", sign: ".notice", answers: { analysis: false } },
  {
    name: "exceptions",
    address: () => "/exceptions",
    sign: ".exception-traces",
    act: (page) => page.locator(".exception-name").first().click(),
  },
  { name: "exceptions-none", address: () => "/exceptions?filter=nosuch", sign: ".services-note" },
  { name: "exceptions-unknown", address: () => "/exceptions", sign: ".notice", answers: { analysis: false } },
  {
    name: "objectives",
    address: () => "/objectives",
    sign: ".objectives tbody tr",
    answers: { objectives: someObjectives(101) },
  },
  {
    name: "objectives-troubles",
    address: () => "/objectives?sort=budget",
    sign: ".objectives tbody tr",
    answers: {
      objectives: {
        ...someObjectives(7),
        fileError: 'objectives.3.window: "30" is not a duration from 1d to 90d',
        targets: [
          { host: "alerts.example:9093", kind: "alertmanager", waiting: 12, error: "did not answer in time" },
        ],
      },
    },
  },
  {
    name: "objective",
    address: () => "/objectives?name=objective-0000",
    sign: ".rate-plot path",
    answers: { objectives: someObjectives(7) },
  },
  { name: "objectives-none", address: () => "/objectives", sign: ".notice" },
  { name: "usage", address: () => "/usage", sign: ".usage tbody tr", answers: { usage: 101 } },
  { name: "models", address: () => "/models", sign: ".models tbody tr", answers: { genAi: 101 } },
  { name: "models-none", address: () => "/models", sign: ".services-note", answers: { genAi: 0 } },
  { name: "usage-none", address: () => "/usage", sign: ".notice" },
  { name: "dependencies", address: () => "/dependencies", sign: ".graph-node" },
  { name: "dependencies-focus", address: () => "/dependencies?focus=checkout", sign: ".graph-node.focused" },
  { name: "dependencies-table", address: () => "/dependencies?view=table", sign: ".rates tbody tr" },
  { name: "trace", address: trace(""), sign: rankedItem },
  {
    name: "trace-details",
    address: (store) => trace(`?span=${charge(store)}&open=${charge(store)}&panel=path`)(store),
    sign: ".span-detail",
    // The rows are drawn anew once the panel beside them and the percentiles are there.
    act: async (page) => {
      await page.locator(".path-shares li").first().waitFor();
      await page.locator(rankedItem).first().waitFor();
      await page.evaluate(
        () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
      );
    },
  },
  {
    name: "trace-notes",
    address: (store) => trace(`?open=${charge(store)}&panel=notes`)(store),
    sign: ".notes-panel .notes li",
    answers: {
      notes: [
        {
          ...{ id: "0", spanId: "", author: "Kim Ek", written: 1_795_269_731_000 },
          text: "Declined twice since 3.1.0.\nSee the runbook of payment.",
        },
        { ...{ id: "1", spanId: "dead", author: "", written: 1_795_269_731_000 }, text: "Sampled away" },
      ],
    },
    act: async (page) => {
      await page.getByRole("button", { name: "Write a note" }).click();
      await page.getByLabel("Note on this span").fill("Waits for the bank");
      await page.getByRole("button", { name: "Save note" }).first().click();
      await page.getByText("Waits for the bank").nth(1).waitFor();
      await page.getByRole("button", { name: "Write a note" }).click();
    },
  },
  {
    name: "trace-notes-none",
    address: trace("?panel=notes"),
    sign: ".notes-panel .note-form",
    answers: { notes: [] },
  },
  {
    name: "trace-like-this",
    address: (store) => trace(`?open=${charge(store)}&q=payment`)(store),
    sign: ".like-this code",
    act: (page) => page.getByRole("button", { name: "Find traces like this" }).click(),
  },
  {
    name: "trace-filtered",
    address: trace("?q=duration%3E2ms%20-redis"),
    sign: "#fold-menu:popover-open",
    act: async (page) => {
      await page.locator(rankedItem).first().waitFor();
      await page.getByRole("button", { name: "Next match" }).click();
      await page.getByRole("button", { name: "Fold by level, duration or service" }).click();
    },
  },
  { name: "trace-large", address: ({ large }) => `/trace/${large.traceID}`, sign: spanItem },
  {
    name: "trace-repeats",
    address: ({ large }) => `/trace/${large.traceID}?panel=repeats`,
    sign: ".path-shares li",
  },
  {
    name: "trace-broken",
    address: ({ broken }) => `/trace/${broken.traceID}`,
    sign: ".remarks",
    act: (page) => page.locator(".remarks summary").first().click(),
  },
  { name: "trace-missing", address: () => "/trace/dead", sign: ".notice" },
  { name: "trace-flame", address: trace("?view=flame"), sign: ".flame-box" },
  {
    name: "trace-conversation",
    address: () => `/trace/${chat.traceID}?view=conversation`,
    sign: ".conversation-call",
    answers: { traces: [chat], prices: smallModelPrices },
  },
  { name: "trace-graph", address: trace("?view=graph"), sign: ".graph-node" },
  { name: "trace-statistics", address: trace("?view=statistics"), sign: ".statistics tbody tr" },
  {
    name: "trace-events",
    address: trace("?view=events"),
    sign: ".exception-stack",
    act: (page) =>
      page.locator(".exception-groups summary", { hasText: "PaymentDeclined 402" }).last().click(),
  },
  { name: "trace-json", address: trace("?view=json"), sign: ".trace-json-text" },
  { name: "compare", address: ({ declined }) => `/compare?a=${declined.traceID}`, sign: ".compare-row" },
  { name: "compare-empty", address: () => "/compare", sign: ".notice" },
  {
    name: "changes",
    address: () => "/changes?service=checkout&a=3.1.0&b=3.0.9&against=same",
    sign: ".changes-table tbody tr",
  },
  { name: "changes-empty", address: () => "/changes", sign: ".notice" },
  { name: "changes-none", address: () => "/changes?all=1", sign: ".notice", answers: { traces: [] } },
  {
    name: "changes-mistakes",
    address: () => "/changes?service=checkout&against=custom&lookback=custom",
    sign: ".field-error",
    act: (page) => page.getByRole("button", { name: "Compare" }).click(),
  },
  {
    name: "changes-failed",
    address: () => "/changes?service=checkout",
    sign: ".notice",
    answers: { failure: { status: 502, text: "dial tcp 127.0.0.1:8123: connection refused" } },
  },
  {
    name: "changes-forbidden",
    address: () => "/changes?service=checkout",
    sign: ".notice",
    answers: { failure: { status: 403, text: "unknown tenant header" } },
  },
  { name: "changes-unknown", address: () => "/changes?all=1", sign: ".notice", answers: { analysis: false } },
  {
    name: "changes-partial",
    address: () => "/changes?service=checkout",
    sign: ".partial-banner",
    answers: { partial: lacking },
  },
  { name: "no-such-page", address: () => "/nowhere/at/all", sign: ".notice" },
  {
    name: "keys",
    address: () => "/compare",
    sign: ".help[open]",
    act: async (page) => {
      await page.locator(".notice").waitFor();
      await page.keyboard.press("?");
    },
  },
  {
    name: "commands",
    address: trace(""),
    sign: ".palette [role=option]",
    act: async (page) => {
      await page.locator(rankedItem).first().waitFor();
      await page.keyboard.press("Control+k");
    },
  },
];

/** Goes to a scene and waits until it can be looked at. @param origin of the server */
export async function showScene(page: Page, origin: string, scene: Scene, store: ShopStore): Promise<void> {
  await page.goto(`${origin}${scene.address(store)}`);
  await scene.act?.(page);
  await page.locator(scene.sign).first().waitFor();
}
