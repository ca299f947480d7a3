import type { JsonValue } from "server-core/json/json-value";
import { type ConfigDraft, draftText } from "../config-draft.ts";
import { assignedCertificates } from "./assign-certificates.ts";
import { issuersElsewhere } from "./change-issuers.ts";
import {
  certificateLinesOf,
  changedBodies,
  changedHeads,
  changedOptions,
  exchangedCertificates,
  exchangedHeads,
  moreCertificates,
} from "./change-lines.ts";
import { changedLogs } from "./change-logs.ts";
import { divided, extended, filled, reordered, respelled, united } from "./change-sites.ts";
import { type Distance, distanceBetween } from "./distance.ts";
import type { Mending, TriedDraft } from "./mending.ts";
import { type SayableLines, sayableLines } from "./sayable-lines.ts";

const maxFilledNumbers = 8;
/** Added to the distance of drafts whose certificates differ: what differs elsewhere is mended more easily. */
const unsettled = 1e6;

/** Changes that may help with what differs, the likely ones first. */
function* changes(
  draft: ConfigDraft,
  { paths }: Distance,
  said: SayableLines,
  { config, ports }: Mending,
): Generator<ConfigDraft> {
  const concerns = (pattern: RegExp) => paths.some((path) => pattern.test(path));
  const isNumbered = concerns(/\/group$/);
  const isLogged = concerns(/\/logs\b|\/logging\b/);
  const isSecured = concerns(/\/apps\/tls\b|tls_connection_policies|automatic_https/);
  const own = certificateLinesOf(draft);
  if (concerns(/\/certificate_selection\/|\/load_files\//)) {
    yield* reordered(draft);
  }
  if (isNumbered) {
    yield* reordered(draft);
    yield* filled(draft, maxFilledNumbers);
    yield* changedBodies(draft);
  }
  if (isLogged) {
    yield* changedHeads(draft, ["log"]);
    yield* exchangedHeads(draft, ["log"]);
    yield* changedLogs(draft, said.logs);
  }
  if (isSecured) {
    yield* respelled(draft, ports);
    yield* changedHeads(draft, ["tls", "bind"]);
    yield* moreCertificates(draft, own);
    yield* issuersElsewhere(draft, config, ports);
    yield* moreCertificates(draft, said);
    yield* exchangedCertificates(draft);
    yield* exchangedHeads(draft, ["tls", "bind"]);
    yield* changedOptions(draft, said.options);
    yield* filled(draft, 1);
  }
  yield* united(draft);
  yield* divided(draft);
  yield* extended(draft, said.hosts, ports);
  if (!isNumbered) {
    yield* reordered(draft);
  }
  if (!isSecured) {
    yield* respelled(draft, ports);
    yield* changedOptions(draft, said.options);
    yield* changedHeads(draft, ["tls", "bind", "log"]);
  }
  if (!isNumbered) {
    yield* changedBodies(draft);
  }
}

interface Node {
  /** A result with equal certificates is better than any other. */
  readonly score: number;
  readonly rest: Iterator<ConfigDraft>;
}

/**
 * Looks for a draft that comes to the config, from drafts that nearly do: what differs is said in other ways, one
 * change after the other, the nearest draft first.
 * @returns its text, or when none was found in {@link Mending.maxTries} the one that came nearest, if one is understood
 */
export async function mendDraft(
  drafts: readonly TriedDraft[],
  mending: Mending,
): Promise<{ text?: string; nearest?: string }> {
  const { config, ports, adapt, certificates, maxTries, time } = mending;
  let nearestText: string | undefined;
  let nearestScore = Number.POSITIVE_INFINITY;
  const said = sayableLines(config, ports);
  const seen = new Set<string>();
  const nodes: Node[] = [];
  let tries = 0;
  /** Goes on from a draft, if it is no farther away than the limit. */
  const note = (draft: ConfigDraft, text: string, result: JsonValue, limit: number): Distance => {
    const distance = distanceBetween(config, result);
    if (distance.score < nearestScore) {
      nearestScore = distance.score;
      nearestText = text;
    }
    const isSettled = certificates.distanceTo(result) === 0;
    const score = distance.score + (isSettled ? 0 : unsettled);
    if (score <= limit) {
      nodes.push({ score, rest: changes(draft, distance, said, mending) });
    }
    return distance;
  };
  /** @returns the text when it comes to the config */
  const visit = (draft: ConfigDraft, limit: number): string | undefined => {
    const text = draftText(draft);
    if (seen.has(text)) {
      return undefined;
    }
    seen.add(text);
    tries++;
    let result: JsonValue;
    try {
      result = adapt(text);
    } catch {
      return undefined;
    }
    return note(draft, text, result, limit).score === 0 ? text : undefined;
  };
  for (const { draft, result } of drafts) {
    const text = draftText(draft);
    seen.add(text);
    if (result !== undefined) {
      note(draft, text, result, Number.POSITIVE_INFINITY);
    }
  }
  const draft = drafts[0]?.draft;
  if (nodes.length === 0 && draft !== undefined) {
    // None is understood: mostly since sites say different things of the same certificates.
    const distance = { score: Number.MAX_VALUE, paths: ["/config/apps/tls"] };
    nodes.push({ score: distance.score, rest: changes(draft, distance, said, mending) });
  }
  for await (const assigned of assignedCertificates(drafts, mending)) {
    const text = visit(assigned, Number.POSITIVE_INFINITY);
    if (text !== undefined) {
      return { text };
    }
  }
  while (tries < maxTries && !time.isOver) {
    const node = nearest(nodes);
    if (node === undefined) {
      break;
    }
    const next = node.rest.next();
    if (next.done === true) {
      nodes.splice(nodes.indexOf(node), 1);
      continue;
    }
    const text = visit(next.value, node.score);
    if (text !== undefined) {
      return { text };
    }
    await time.nextTurn();
  }
  return nearestText === undefined ? {} : { nearest: nearestText };
}

/** The node to go on from: of those that are equally near the one that was found first. */
function nearest(nodes: readonly Node[]): Node | undefined {
  let best: Node | undefined;
  for (const node of nodes) {
    best = best === undefined || node.score < best.score ? node : best;
  }
  return best;
}
