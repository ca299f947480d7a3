import { textsOf } from "../json-lists.ts";
import { isSecure, type UsualPorts } from "./addresses.ts";
import { connectionFor } from "./connection-lines.ts";
import { hostsOfDraft, type SiteGroup } from "./site-draft.ts";

/** A site that can be moved. */
interface MovableSite {
  readonly sites: SiteGroup;
  /** Number of groups that the site's routes take. */
  readonly groups: number;
}

/** The number of a site's first certificate file pair; -1 without one. Pairs are numbered in reading order. */
function certificateNumber(group: SiteGroup, ports: UsualPorts): number {
  const numbers = group.flatMap((site) => {
    const hosts = hostsOfDraft(site).filter((host) => isSecure(site.server, host, ports));
    const tags = textsOf(connectionFor(site.server, hosts), "certificate_selection", "any_tag");
    return tags.flatMap((tag) => (/^cert\d{1,9}$/.test(tag) ? [Number(tag.slice(4))] : []));
  });
  return numbers.length === 0 ? -1 : Math.min(...numbers);
}

/**
 * Moves sites so that their certificate files get the same tags as in the config. Sites with numbered groups are not
 * moved. Tags of certificate files, `cert0`, `cert1`, are numbered in reading order.
 */
export function inCertificateOrder<T extends MovableSite>(texts: readonly T[], ports: UsualPorts): T[] {
  const numbers = new Map(texts.map((text) => [text, certificateNumber(text.sites, ports)]));
  const numberOf = (text: T) => numbers.get(text) ?? -1;
  const result = [...texts];
  for (const text of texts) {
    const number = numberOf(text);
    const at = result.indexOf(text);
    const later = number === -1 ? -1 : result.findIndex((other) => numberOf(other) > number);
    const [before] = result.slice(later, later + 1);
    const isCounted = result.slice(0, at).some((other) => numberOf(other) === number);
    if (later === -1 || later > at || before === undefined || isCounted) {
      continue;
    }
    if (text.groups === 0) {
      result.splice(at, 1);
      result.splice(later, 0, text);
    } else if (before.groups === 0) {
      result.splice(later, 1);
      result.splice(at, 0, before);
    }
  }
  return result;
}
