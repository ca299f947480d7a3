import type { AdminServerProcess } from "../../admin-api/comparison/admin-server-process.ts";
import { type Endpoint, exchangeOverHttp1, sleep } from "../client/http1-exchange.ts";
import { exchangeOverHttp2 } from "../client/http2-exchange.ts";
import { Progress } from "../client/progress.ts";
import { type SiteMarks, withMarks, withValues } from "../site-marks.ts";
import { remembersRequests } from "../site-memory.ts";
import type { Facts, Observation, Twin, TwinCase, TwinExchange, TwinStep, Verdict } from "../twin-case.ts";
import { type SeenRequests, usualPieceLimitMs } from "../upstream/seen-requests.ts";
import { type AccessLog, exchangeOfEntry, logFacts } from "./access-log.ts";
import { askAdmin } from "./ask-admin.ts";
import { certifiedNames } from "./certified-names.ts";
import { grownBy, leftOpenFacts, metricFacts } from "./left-open.ts";

/** Milliseconds to wait for an answer, because some requests get no answer from either server. */
const answerLimitMs = 1_500;
const reloadAfterMs = 4;
/** Milliseconds after a load within which the certificates of the site are obtained. */
const readyMs = 400;

/**
 * First line of a health check, which each server sends at different times. FastCGI programs receive the path of a file
 * and no version. An HTTP/1 upstream that is called with HTTP/2 receives the preface.
 */
const healthCheck = /^PRI \* | (\/(up|health|old|a(%3F|\?)b=c)\b|\S*\/(up|health|old|a\?b=c)$)/;

/** With any other policy, the choice among several upstreams is random or depends on earlier requests. */
const orderly = /lb_policy first/;
const several = /reverse_proxy[^\n]*%(UP_\w|DOWN)%[^\n]*%(UP_\w|DOWN)%/g;

/** Counts requests, not answers, because a request may have a log entry although its client saw no answer. */
const requestsIn = ({ steps }: TwinCase) =>
  steps.flatMap(({ exchanges }) => exchanges).reduce((sum, { requests }) => sum + requests.length, 0);

/** A server on this machine, with its own upstreams. */
export class LocalTwin implements Twin {
  readonly #isModel: boolean;
  readonly #start: () => Promise<AdminServerProcess>;
  #process: AdminServerProcess;
  readonly #ownMarks: Omit<SiteMarks, "folder">;
  readonly #seen: SeenRequests;
  readonly #log: AccessLog;
  readonly #closeUpstreams: () => void;
  #patience = 1;
  #document: { readonly text: string; readonly verdict: Verdict } | undefined;
  #count = 0;
  #loadedAt = 0;
  /** The text that was loaded last, while no client has sent a request: its state is new. */
  #unusedText: string | undefined;
  /** The loaded text, if it obtains certificates on demand. */
  #onDemandText: string | undefined;
  #hasCertificate: (name: string) => boolean = () => true;

  private constructor(
    isModel: boolean,
    start: () => Promise<AdminServerProcess>,
    process: AdminServerProcess,
    marks: Omit<SiteMarks, "folder">,
    seen: SeenRequests,
    log: AccessLog,
    closeUpstreams: () => void,
  ) {
    this.#isModel = isModel;
    this.#start = start;
    this.#process = process;
    this.#ownMarks = marks;
    this.#seen = seen;
    this.#log = log;
    this.#closeUpstreams = closeUpstreams;
  }

  /** @param closeUpstreams called when the twin is closed */
  static async open(
    isModel: boolean,
    start: () => Promise<AdminServerProcess>,
    marks: Omit<SiteMarks, "folder">,
    seen: SeenRequests,
    log: AccessLog,
    closeUpstreams: () => void,
  ): Promise<LocalTwin> {
    return new LocalTwin(isModel, start, await start(), marks, seen, log, closeUpstreams);
  }

  get isAlive(): boolean {
    return this.#process.isAlive;
  }

  get #marks(): SiteMarks {
    return { ...this.#ownMarks, folder: this.#process.folder };
  }

  /** Factor for all waits; higher on a busy machine and when a difference is checked again. */
  set patience(factor: number) {
    this.#patience = factor;
    this.#seen.pieceLimitMs = usualPieceLimitMs * factor;
  }

  async adapt(text: string): Promise<Verdict> {
    if (this.#document?.text !== text) {
      const verdict = await this.#post("/adapt", "text/caddyfile", withValues(text, this.#marks));
      this.#document = { text, verdict };
    }
    const { status, body } = this.#document.verdict;
    const named = body.replaceAll("Caddyfile", "Serverfile").replaceAll("caddyfile", "serverfile");
    return { status, body: withMarks(named, this.#marks) };
  }

  async load(text: string): Promise<Verdict> {
    // Certificates obtained on demand stay in the model's memory, and would also be used for other sites.
    if (this.#onDemandText !== undefined && this.#onDemandText !== text) {
      await this.#restart();
    }
    this.#onDemandText = this.#isModel && /\bon_demand\b/.test(text) ? text : undefined;
    await this.adapt(text);
    const { status, body } = this.#document?.verdict ?? { status: 0, body: "" };
    if (status !== 200) {
      return { status, body };
    }
    const { result } = JSON.parse(body) as { result: unknown };
    const document = JSON.stringify(result);
    const answer = await this.#post("/load", "application/json", document, {
      "Cache-Control": "must-revalidate",
    });
    this.#loadedAt = Date.now();
    if (answer.status === 200) {
      this.#unusedText = text;
      this.#hasCertificate = certifiedNames(document, this.#marks.ports.TLS);
    }
    return { status: answer.status, body: withMarks(answer.body, this.#marks) };
  }

  async run(twinCase: TwinCase, width = 1): Promise<Observation> {
    if (this.#unusedText !== twinCase.site) {
      const loaded = await this.load(twinCase.site);
      if (loaded.status !== 200) {
        return { exchanges: [], site: { load: `refused with ${loaded.status}` } };
      }
    }
    this.#unusedText = undefined;
    this.#seen.clear();
    const hasLog = /^\s*log\b/m.test(twinCase.site.replace(/^\{[\s\S]*?^\}/m, ""));
    if (hasLog) {
      await this.#log.clear();
    }
    // Counters are not compared when a step reloads the config, because the number of counted requests then depends on
    // timing.
    const hasMetrics =
      /^\s*metrics/m.test(twinCase.site) && !twinCase.steps.some(({ reloads }) => reloads === true);
    const counters = hasMetrics ? await metricFacts(this.#process.port) : {};
    const first = this.#count;
    const facts = await this.#steps(twinCase, remembersRequests(twinCase.site) ? 1 : width);
    const ids = Array.from(facts, (_, index) => this.#id(first + index));
    const leftOpen = await leftOpenFacts(this.#process.port, this.#seen, 100 * this.#patience);
    const entries = hasLog
      ? await this.#log.read(Math.max(this.#answersIn(facts), requestsIn(twinCase)), 30 * this.#patience)
      : [];
    const balancers = twinCase.site.match(several)?.length ?? 0;
    const skipsPlace = balancers > 0 && (balancers > 1 || !orderly.test(twinCase.site));
    const exchanges = facts.map((each, index) => {
      const id = ids[index] ?? "";
      const logged = logFacts(entries.filter((entry) => exchangeOfEntry(entry) === id));
      return this.#plain({ ...each, ...this.#seen.factsOf(id, skipsPlace), ...logged }, id);
    });
    const known = new Set(ids);
    const unnamed = this.#seen.unnamed(known).filter((start) => !healthCheck.test(start));
    const others = entries.filter((entry) => !known.has(exchangeOfEntry(entry)));
    const site = {
      ...leftOpen,
      ...(hasMetrics ? grownBy(counters, await metricFacts(this.#process.port)) : {}),
      ...(unnamed.length > 0 ? { "upstream, unnamed": unnamed.sort().join("\n") } : {}),
      ...(others.length > 0
        ? {
            "log, unnamed": others
              .map(({ logger, status }) => `${logger} ${status}`)
              .sort()
              .join("\n"),
          }
        : {}),
    };
    return { exchanges, site: this.#plain(site, "") };
  }

  async close(): Promise<void> {
    await this.#process.close();
    this.#closeUpstreams();
  }

  /** Runs steps, up to `width` at the same time; a step that reloads runs alone. */
  async #steps({ site, steps }: TwinCase, width: number): Promise<Facts[]> {
    const facts: Facts[][] = [];
    const running = new Set<Promise<void>>();
    for (const [index, step] of steps.entries()) {
      if (step.reloads === true) {
        await Promise.all(running);
      }
      const one: Promise<void> = this.#step(step, site).then((each) => {
        facts[index] = each;
        running.delete(one);
      });
      running.add(one);
      if (step.reloads === true || running.size >= width) {
        await Promise.race(running);
      }
    }
    await Promise.all(running);
    return facts.flat();
  }

  async #restart(): Promise<void> {
    await this.#process.close();
    this.#process = await this.#start();
    this.#document = undefined;
    this.#unusedText = undefined;
  }

  async #step(step: TwinStep, site: string): Promise<Facts[]> {
    const isRemembered = remembersRequests(site);
    const running: Promise<Facts>[] = [];
    for (const exchange of step.exchanges) {
      const one = this.#exchange(exchange, isRemembered);
      running.push(one);
      if (isRemembered) {
        await one;
      }
    }
    if (step.reloads === true) {
      await sleep(reloadAfterMs);
      await this.load(site);
      this.#unusedText = undefined;
    }
    return Promise.all(running);
  }

  async #exchange(exchange: TwinExchange, asksInTurn: boolean): Promise<Facts> {
    const id = this.#id(this.#count++);
    const progress = new Progress();
    this.#seen.expect(id, progress);
    const { address, ports } = this.#marks;
    const canComeLate = this.#patience > 1 || this.#hasCertificate(exchange.serverName);
    const endpoint: Endpoint = {
      address,
      httpPort: ports.HTTP,
      tlsPort: ports.TLS,
      limitMs: answerLimitMs * (0.5 + this.#patience / 2),
      closeLimitMs: 200 * this.#patience,
      asksInTurn,
      readyAt: canComeLate ? this.#loadedAt + readyMs * this.#patience : 0,
    };
    const valued = JSON.parse(withValues(JSON.stringify(exchange), this.#marks)) as TwinExchange;
    const isHttp1 = exchange.via === "http" || exchange.via === "https";
    const facts = await (isHttp1 ? exchangeOverHttp1 : exchangeOverHttp2)(endpoint, valued, id, progress);
    // The number of bytes that a leaving client has received is random.
    return exchange.leaves === "early"
      ? Object.fromEntries(
          Object.entries(facts).filter(([name]) => !/ (body|complete|trailer\..*|end)$/.test(name)),
        )
      : facts;
  }

  /** All ids have the same length, so that lengths of messages do not depend on them. */
  #id(count: number): string {
    return String(1_000_000 + count);
  }

  #answersIn(facts: readonly Facts[]): number {
    return facts.reduce(
      (sum, each) => sum + Object.keys(each).filter((name) => /^answer \d+ status$/.test(name)).length,
      0,
    );
  }

  #plain(facts: Facts, id: string): Facts {
    return Object.fromEntries(
      Object.entries(facts).map(([name, value]) => {
        const marked = withMarks(value, this.#marks);
        return [name, id === "" ? marked : marked.replaceAll(id, "%ID%")];
      }),
    );
  }

  #post(target: string, type: string, body: string, more: Record<string, string> = {}): Promise<Verdict> {
    return askAdmin(this.#process.port, "POST", target, { "Content-Type": type, ...more }, body);
  }
}
