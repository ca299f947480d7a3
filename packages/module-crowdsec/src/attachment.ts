import { HttpError, type ModuleContext, messageOf } from "server-module-api";
import type { AppsecSettings } from "./appsec-client.ts";
import { RequestCounts, requestCounts } from "./crowdsec-metrics.ts";
import type { Decision } from "./decision.ts";
import { findDecision } from "./decision-table.ts";
import { type Attached, crowdsecTopics, type TableNews } from "./messages.ts";

/** Name of the server in a config path: `/config/apps/http/servers/<name>/routes/…`. */
function serverOf(path: string): string {
  return /^\/config\/apps\/\w+\/servers\/([^/]+)/.exec(path)?.[1] ?? "";
}

/**
 * The access of one handler or matcher to the app `crowdsec`. It asks the main thread when the first request arrives,
 * because the app may be set up after the handler. Afterwards the main thread sends each new snapshot.
 */
export class Attachment {
  readonly #context: ModuleContext;
  readonly #server: string;
  readonly #counts: RequestCounts;
  #app: Attached | undefined;
  #attaching: Promise<Attached> | undefined;
  /** The newest snapshot that came before the app was known. */
  #early: TableNews | undefined;

  private constructor(context: ModuleContext, counts: RequestCounts) {
    this.#context = context;
    this.#counts = counts;
    this.#server = serverOf(context.path);
    context.messages.onNews(crowdsecTopics.table, (news) => this.#take(news as TableNews));
    context.messages.on(crowdsecTopics.usage, () => counts.counts);
  }

  static async open(context: ModuleContext): Promise<Attachment> {
    const { value } = await context.acquire(requestCounts, "", () => new RequestCounts(context.metrics));
    return new Attachment(context, value);
  }

  /**
   * Finds the decision about a client. Returns a promise only if the main thread must be asked.
   * @returns undefined when the client is allowed
   * @throws HttpError 500 for text that is no address, without the app, and for a failed look-up with `enable_hard_fails`
   */
  decide(address: string): Decision | undefined | Promise<Decision | undefined> {
    const app = this.#app;
    return app?.table === undefined ? this.#decideLater(address) : this.#decideNow(app.table, address);
  }

  /** The AppSec component; undefined without one. @throws HttpError 500 without the app */
  async appsec(): Promise<AppsecSettings | undefined> {
    return (this.#app ?? (await this.#attached())).appsec;
  }

  /** Counts a request that matches a rule of the AppSec component. */
  countVerdict(address: string, action: string): void {
    this.#counts.blocked(this.#server, address, { origin: "appsec", type: action });
  }

  async #decideLater(address: string): Promise<Decision | undefined> {
    const { table, failsHard } = await this.#attached();
    if (table !== undefined) {
      return this.#decideNow(table, address);
    }
    this.#counts.processed(this.#server, address);
    try {
      const found = (await this.#context.messages.askMain(crowdsecTopics.look, address)) as
        | Decision
        | undefined;
      return this.#counted(found, address);
    } catch (error) {
      if (failsHard) {
        throw new HttpError(500, `crowdsec: ${messageOf(error)}`, { cause: error });
      }
      return undefined; // the app has logged the failure
    }
  }

  #decideNow(table: NonNullable<Attached["table"]>, address: string): Decision | undefined {
    this.#counts.processed(this.#server, address);
    try {
      return this.#counted(findDecision(table, address, Date.now() / 1000), address);
    } catch (error) {
      throw new HttpError(500, `crowdsec: ${messageOf(error)}`, { cause: error });
    }
  }

  #counted(found: Decision | undefined, address: string): Decision | undefined {
    if (found !== undefined) {
      this.#counts.blocked(this.#server, address, found);
    }
    return found;
  }

  /** @throws HttpError 500 when the config has no app `crowdsec`; the next request asks again */
  async #attached(): Promise<Attached> {
    this.#attaching ??= this.#context.messages.askMain(crowdsecTopics.attach, null) as Promise<Attached>;
    try {
      const app = await this.#attaching;
      if (this.#app === undefined) {
        this.#app = app;
        if (app.hasMetrics) {
          this.#counts.show();
        }
        if (this.#early !== undefined) {
          this.#take(this.#early);
        }
      }
      return this.#app;
    } catch (error) {
      this.#attaching = undefined;
      throw new HttpError(500, "crowdsec: the config has no app crowdsec", { cause: error });
    }
  }

  #take(news: TableNews): void {
    const app = this.#app;
    if (app === undefined) {
      this.#early = news;
    } else if (news.id === app.id && news.table.version > (app.table?.version ?? 0)) {
      this.#app = { ...app, table: news.table };
    }
  }
}
