import type { RandomSource } from "../../serverfile/random-source.ts";
import { remembersRequests } from "../site-memory.ts";
import type { Field, TwinBody, TwinExchange, TwinRequest, TwinStep, Via } from "../twin-case.ts";
import { brokenRequests, cutRequests } from "./broken-requests.ts";
import { drawBehaviour } from "./draw-behaviour.ts";
import { brokenTargets, fieldGroups, methods, oddTargets } from "./odd-parts.ts";
import { type SiteWords, siteWords } from "./site-words.ts";

/** Requests for a site in addition to those made from its text. */
export interface RequestHints {
  readonly targets?: readonly string[];
  readonly fields?: readonly (readonly Field[])[];
  readonly behaviours?: readonly string[];
  readonly vias?: readonly Via[];
  readonly methods?: readonly string[];
}

/** The server name that a client sends in its handshake. */
const nameOf = (host: string) => host.replace(/:.*/, "").toLowerCase();
const one = (random: RandomSource, of: number) => random.below(of) === 0;

/** Draws exchanges with one site. */
class RequestDrawer {
  readonly #random: RandomSource;
  readonly #words: SiteWords;
  readonly #hints: RequestHints;
  /**
   * True when the site remembers requests: the model counts a request that its client broke as a failure of the
   * upstream.
   */
  readonly #isRemembered: boolean;

  constructor(random: RandomSource, site: string, hints: RequestHints) {
    this.#random = random;
    this.#words = siteWords(site);
    this.#hints = hints;
    this.#isRemembered = remembersRequests(site);
  }

  #target(): string {
    const random = this.#random;
    const { targets = [] } = this.#hints;
    if (targets.length > 0 && !one(random, 4)) {
      return random.pick(targets);
    }
    if (one(random, 3)) {
      return random.pick(oddTargets);
    }
    const path = random.pick(this.#words.paths);
    const odd = random.pick(["", "", "", "x", "/", "/x", "?a=1", "/../x", "%2F", "/x.php", ".css", "//"]);
    return path + odd;
  }

  #host(): string {
    const random = this.#random;
    const host = random.pick(this.#words.hosts);
    return random.pick([host, host, host, host, `${host}:%HTTP%`, host.toUpperCase(), "other.test"]);
  }

  #body(): TwinBody {
    const random = this.#random;
    const text = random.pick([
      "",
      "a",
      "hello",
      "0123456789",
      '{"a":1}',
      "a=1&b=2",
      "z".repeat(200),
      "Z".repeat(70_000),
    ]);
    if (one(random, 2)) {
      return { framing: "length", text };
    }
    return one(random, 4)
      ? { framing: "chunked", text, trailers: [["X-Trailer", "t"]] }
      : { framing: "chunked", text };
  }

  #request(host: string): TwinRequest {
    const random = this.#random;
    const method = random.pick(this.#hints.methods ?? methods);
    const fields: Field[] = [["Host", host]];
    const groups = [...fieldGroups, ...(this.#hints.fields ?? []), ...(this.#hints.fields ?? [])];
    for (let count = random.below(3); count > 0; count--) {
      fields.push(...random.pick(groups));
    }
    if (one(random, 6)) {
      fields.push(random.pick(this.#words.fields));
    }
    const takesBody = method === "POST" || method === "PUT" || method === "PATCH" || one(random, 20);
    const target = this.#target();
    return takesBody && !one(random, 4)
      ? { method, target, fields, body: this.#body() }
      : { method, target, fields };
  }

  #via(): Via {
    const random = this.#random;
    const { vias } = this.#hints;
    if (vias !== undefined) {
      return random.pick(vias);
    }
    const secure: readonly Via[] = ["https", "h2", "h2", "h2"];
    const plain: readonly Via[] = ["http", "http", "http", "h2c"];
    return random.pick(this.#words.isSecure && !one(random, 6) ? secure : plain);
  }

  #broken(via: Via, host: string): TwinExchange {
    const random = this.#random;
    const isCut = one(random, 4);
    const target = one(random, 5) ? random.pick(brokenTargets) : this.#target();
    const raw = random
      .pick(isCut ? cutRequests : brokenRequests)
      .replaceAll("%HOST%.", `${host.replace(/:.*/, "")}.`)
      .replaceAll("%HOST%", host)
      .replaceAll("%TARGET%", () => target);
    return {
      via: via === "h2" || via === "https" ? "https" : "http",
      serverName: nameOf(host),
      requests: [{ method: "GET", target, fields: [], raw }],
      // The client ends its side after the last byte: otherwise a cut request would only wait for a time limit.
      ...(isCut || one(random, 2) ? { leaves: "half-closed" } : {}),
    };
  }

  exchange(): TwinExchange {
    const random = this.#random;
    const via = this.#via();
    const host = this.#host();
    const serverName = nameOf(host);
    if (one(random, 9) && !this.#isRemembered) {
      return this.#broken(via, host);
    }
    const count = one(random, 10) ? 2 + random.below(2) : 1;
    const requests = Array.from({ length: count }, () => this.#request(host));
    const asksUpstream = this.#words.hasUpstream && one(random, 2);
    const drawn = asksUpstream ? drawBehaviour(random, this.#hints.behaviours) : undefined;
    // Over HTTP/2 the client's library refuses a field that is longer than 64 KiB when compressed.
    const upstream = via.startsWith("h2") ? drawn?.replace("long-field=70000", "long-field=60000") : drawn;
    return {
      via,
      serverName,
      requests,
      ...(count > 1 && one(random, 2) ? { asks: "in turn" } : {}),
      ...(upstream === undefined ? {} : { upstream }),
      ...(one(random, 25) ? { reads: "slow" } : {}),
      ...(one(random, 15) ? { writes: "slow" } : {}),
      ...(one(random, 40) ? { leaves: random.pick(["half-closed", "early"] as const) } : {}),
    };
  }
}

/** Draws `count` exchanges with a site, in steps of one exchange and sometimes of several concurrent ones. */
export function drawSteps(
  random: RandomSource,
  site: string,
  count: number,
  hints: RequestHints = {},
): TwinStep[] {
  const drawer = new RequestDrawer(random, site, hints);
  const steps: TwinStep[] = [];
  let left = count;
  while (left > 0) {
    const together = one(random, 12) ? Math.min(left, 2 + random.below(6)) : 1;
    const exchanges = Array.from({ length: together }, () => drawer.exchange());
    left -= together;
    steps.push(one(random, 60) ? { exchanges, reloads: true } : { exchanges });
  }
  return steps;
}
