import type { Statement } from "./site-text.ts";

const isSite = ({ line, block }: Statement) =>
  block !== undefined && line !== "{" && !line.startsWith("(") && line.endsWith(" {");
const addressesOf = (line: string) => line.slice(0, -2).split(", ");
/** A name without a scheme means HTTPS. */
const keyOf = (address: string) => address.replace(/^https:\/\/(?=.)/, "");

/** Replaces an address that an earlier site already has, because the model refuses ambiguous sites. */
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

/** Removes rules for handshakes from sites without TLS, because the model refuses them. */
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

/** Lines that make the model try the next upstream when one is down; our server always tries the next one. */
const failsOver = /^lb_(retries|try_duration)/;

/**
 * Makes a proxy try upstreams of several kinds in order, because a random choice would differ between the servers.
 * Without retries, upstreams that are down are removed. With retries they stay, and count as down for ten minutes after
 * a failure.
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
  const hasRetries = inner?.some((each) => failsOver.test(each.line)) === true;
  const alive = hasRetries ? line : line.replace(/ \S*%DOWN%/g, "");
  if (!hasRetries && new Set(marks.filter((mark) => mark !== "DOWN").map(sortOf)).size < 2) {
    return { ...unchanged, line: alive };
  }
  const others = (inner ?? []).filter((each) => !/^(lb_policy|fail_duration|max_fails)/.test(each.line));
  const begin = hasRetries ? ["lb_policy first", "fail_duration 10m"] : ["lb_policy first"];
  return {
    line: alive.endsWith(" {") ? alive : `${alive} {`,
    block: [...begin.map((each) => ({ line: each })), ...others],
  };
}

/**
 * Removes conditions that make an upstream unhealthy, because the number of requests before the first check is random.
 */
function withoutVainHealth({ line, block }: Statement): Statement {
  if (block === undefined) {
    return { line };
  }
  const kept = line.startsWith("reverse_proxy ")
    ? block.filter((inner) => !/^health_(status|body) /.test(inner.line))
    : block;
  return { line, block: kept.map(withoutVainHealth) };
}

/**
 * Removes logins without accounts: both servers then compare each password with a hash of the highest cost, which takes
 * longer than the client waits.
 */
function withoutVainLogins({ line, block }: Statement): Statement {
  if (block === undefined) {
    return { line };
  }
  const kept = block.filter(
    (inner) => !(/^basic_?auth\b/.test(inner.line) && (inner.block ?? []).length === 0),
  );
  return { line, block: kept.map(withoutVainLogins) };
}

/** Removes further upstreams from a proxy that has marked ones: no server listens at them, and the choice is random. */
function withoutVainUpstreams({ line, block }: Statement): Statement {
  if (block === undefined) {
    return { line };
  }
  const hasOwn = /^(reverse_proxy|php_fastcgi) .*%\w+%/.test(line);
  const kept = hasOwn ? block.filter((inner) => !/^to (?!.*%)/.test(inner.line)) : block;
  return { line, block: kept.map(withoutVainUpstreams) };
}

/** Removes TLS from transports to upstreams without TLS, which would wait for a handshake until the client gives up. */
function withoutVainTls({ line, block }: Statement): Statement {
  if (block === undefined) {
    return { line };
  }
  const isClear = /^(reverse_proxy|forward_auth|php_fastcgi) /.test(line) && !line.includes("%UP_S%");
  const kept = block.map((inner) =>
    isClear && inner.line.startsWith("transport http") && inner.block !== undefined
      ? { line: inner.line, block: inner.block.filter((each) => !each.line.startsWith("tls")) }
      : withoutVainTls(inner),
  );
  return { line, block: kept };
}

/** True when a target begins with a slash after its placeholders are replaced, or does not change the path. */
const isRooted = (target: string) =>
  /^["`]?(\/|\?|=\d|\{(uri|path|file(?!_match)|http\.request\.uri))/.test(target);
const rooted = (target: string) =>
  isRooted(target) || target === "" ? target : target.replace(/^["`]?/, "$&/");

/**
 * Adds a slash to targets of rewrites that begin without one: our server adds it, and the model sends an invalid target
 * to its upstream. Adds a letter to search texts that may be empty: our server then replaces nothing, but the model
 * inserts the replacement everywhere.
 */
function withRootedTargets({ line, block }: Statement): Statement {
  const whole = line
    .replace(
      /^(rewrite (?:(?:\*|@\S+|\/\S*) (?=\S))?)(?!\{$)(.+)$/,
      (_, begin: string, target: string) => begin + rooted(target),
    )
    .replace(
      /^(try_files (?:(?:\*|@\S+) )?)(.*?)( \{)?$/,
      (_, begin: string, files: string, end = "") => begin + files.split(" ").map(rooted).join(" ") + end,
    )
    .replace(/^(uri (?:(?:\*|@\S+|\/\S*) )?replace )(?=\{)/, "$1q");
  return block === undefined ? { line: whole } : { line: whole, block: block.map(withRootedTargets) };
}

const hasFallback = ({ line, block }: Statement): boolean =>
  /^(try_)?policy first_exist_fallback$/.test(line) || block?.some(hasFallback) === true;

/**
 * Adds a root to sites that serve a file as a last choice without checking that it exists. Without a root, the model's
 * path of that file has no slash at the start: it redirects `example.com` to `example.coma`, and matches no path.
 */
function withRootedFallback(statement: Statement): Statement {
  const { line, block = [] } = statement;
  const isBare =
    isSite(statement) && hasFallback(statement) && !block.some((each) => each.line === "root %ROOT%");
  return isBare ? { line, block: [{ line: "root %ROOT%" }, ...block] } : statement;
}

/**
 * Removes `copy_response` outside of handled proxy responses: elsewhere there is no response to copy, and the model
 * breaks the connection.
 */
function withoutVainCopies({ line, block }: Statement, isCopied = false): Statement {
  if (block === undefined) {
    return { line };
  }
  const holds = isCopied || /^(reverse_proxy|forward_auth|php_fastcgi) /.test(line);
  const isPlace = holds && line.startsWith("handle_response");
  const kept = block.filter((each) => isPlace || !each.line.startsWith("copy_response"));
  return { line, block: kept.map((each) => withoutVainCopies(each, holds && !line.startsWith("intercept"))) };
}

/** A generated text without parts that the model always refuses, and without parts whose result is random. */
export function comparableSite(statements: readonly Statement[]): Statement[] {
  return withOwnAddresses(statements)
    .map(withoutUselessTls)
    .map(withoutVainTls)
    .map(withoutVainUpstreams)
    .map(withoutVainLogins)
    .map(withoutVainHealth)
    .map(withOrderedUpstreams)
    .map(withRootedTargets)
    .map(withRootedFallback)
    .map((each) => withoutVainCopies(each));
}
