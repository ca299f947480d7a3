import type { Statement } from "./site-text.ts";

const isSite = ({ line, block }: Statement) =>
  block !== undefined && line !== "{" && !line.startsWith("(") && line.endsWith(" {");
const addressesOf = (line: string) => line.slice(0, -2).split(", ");
/** Names without a scheme are served over HTTPS. */
const keyOf = (address: string) => address.replace(/^https:\/\/(?=.)/, "");

/** Gives an address that an earlier site has a name of its own: the model refuses ambiguous sites. */
function withOwnAddresses(statements: readonly Statement[]): Statement[] {
  const taken = new Set<string>();
  return statements.map((statement) => {
    if (!isSite(statement)) {
      return statement;
    }
    const own = addressesOf(statement.line).map((address) => {
      const isTaken = taken.has(keyOf(address));
      const scheme = /^https?:\/\//.exec(address)?.[0] ?? "";
      const free = isTaken ? `${scheme}d${taken.size}.example.com` : address;
      taken.add(keyOf(free));
      return free;
    });
    return { ...statement, line: `${own.join(", ")} {` };
  });
}

/** Takes rules for handshakes out of sites without TLS: the model refuses them. */
function withoutUselessTls(statement: Statement): Statement {
  const { line, block } = statement;
  if (!isSite(statement) || !addressesOf(line).every((address) => address.startsWith("http://"))) {
    return statement;
  }
  const isRule = (inner: Statement) =>
    inner.line === "tls {" && inner.block?.some((each) => /^(protocols|alpn) /.test(each.line)) === true;
  return { line, block: block?.filter((inner) => !isRule(inner)) ?? [] };
}

/** The kind of upstream that a mark stands for; upstreams of different kinds answer differently. */
const sortOf = (mark: string) => (/^UP_[ABC]$/.test(mark) ? "plain" : mark);

/**
 * Asks upstreams of several sorts in their order: a choice by chance would differ from server to server. One that is down
 * stands alone, as ours is the only one to go on to the next.
 */
function withOrderedUpstreams({ line, block }: Statement): Statement {
  const inner = block?.map(withOrderedUpstreams);
  const unchanged = inner === undefined ? { line } : { line, block: inner };
  if (!line.startsWith("reverse_proxy ")) {
    return unchanged;
  }
  const marks = [...line.matchAll(/%(UP_\w|DOWN)%/g)].map(([, mark]) => mark ?? "");
  if (new Set(marks.map(sortOf)).size < 2) {
    return unchanged;
  }
  const alive = line.replace(/ \S*%DOWN%/g, "");
  if (new Set(marks.filter((mark) => mark !== "DOWN").map(sortOf)).size < 2) {
    return { ...unchanged, line: alive };
  }
  const others = (inner ?? []).filter((each) => !each.line.startsWith("lb_policy"));
  return {
    line: alive.endsWith(" {") ? alive : `${alive} {`,
    block: [{ line: "lb_policy first" }, ...others],
  };
}

/** Takes TLS out of transports to upstreams in clear, which would wait for a handshake as long as the client does. */
function withoutVainTls({ line, block }: Statement): Statement {
  if (block === undefined) {
    return { line };
  }
  const isClear = line.startsWith("reverse_proxy ") && !line.includes("%UP_S%");
  const kept = block.map((inner) =>
    isClear && inner.line.startsWith("transport http") && inner.block !== undefined
      ? { line: inner.line, block: inner.block.filter((each) => !each.line.startsWith("tls")) }
      : withoutVainTls(inner),
  );
  return { line, block: kept };
}

/** A drawn text without what the model refuses for sure, and without what is decided by chance. */
export function comparableSite(statements: readonly Statement[]): Statement[] {
  return withOwnAddresses(statements).map(withoutUselessTls).map(withoutVainTls).map(withOrderedUpstreams);
}
