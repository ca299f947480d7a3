import { BlockList, isIPv4, isIPv6 } from "node:net";
import { splitHostPort } from "server-core/go/host-port";

/** Networks whose addresses no public authority certifies. Source: the public model, `certmagic.SubjectIsInternal` */
const internalNetworks = new BlockList();
for (const [network, bits, family] of [
  ["127.0.0.0", 8, "ipv4"],
  ["0.0.0.0", 16, "ipv4"],
  ["10.0.0.0", 8, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["::", 7, "ipv6"],
  ["fe80::", 10, "ipv6"],
  ["fc00::", 7, "ipv6"],
] as const) {
  internalNetworks.addSubnet(network, bits, family);
}

/** A name of the DNS has 127 labels at most. Source: RFC 1035 section 3.1 */
const maxPatternLabels = 127;
/** Endings of names that no public authority certifies. */
const internalEndings = [".localhost", ".local", ".internal", ".home.arpa"];

/** A subject without its port and its brackets. */
function hostOnly(subject: string): string {
  if (!subject.includes(":") && !subject.startsWith("[")) {
    return subject; // as nearly all are: what is thrown below costs much
  }
  try {
    return splitHostPort(subject).host;
  } catch {
    return /^\[.*\]$/.test(subject) ? subject.slice(1, -1) : subject;
  }
}

/** 4, 6, or 0 for a text that is no address. Only a text with a colon is tried as IPv6, whose pattern is large. */
function ipFamily(text: string): 0 | 4 | 6 {
  if (text.includes(":")) {
    return isIPv6(text) ? 6 : 0;
  }
  return isIPv4(text) ? 4 : 0;
}

/** Whether a certificate could name it at all. */
export function qualifiesForCertificate(subject: string): boolean {
  return (
    subject.trim() !== "" &&
    !subject.startsWith(".") &&
    !subject.endsWith(".") &&
    (!subject.includes("*") || subject.startsWith("*.") || subject === "*") &&
    !/[()[\]{}<> \t\n"\\!@#$%^&|;'+=]/.test(subject)
  );
}

/** True for a name or address that no public authority certifies. */
export function isInternalSubject(subject: string): boolean {
  const host = hostOnly(subject).replace(/\.$/, "").toLowerCase();
  if (host === "localhost" || internalEndings.some((ending) => host.endsWith(ending))) {
    return true;
  }
  const family = ipFamily(host);
  return family !== 0 && internalNetworks.check(host, family === 4 ? "ipv4" : "ipv6");
}

/** Whether a public authority would give a certificate for it, on request at the handshake too if `onDemand`. */
export function isPublicSubject(subject: string, onDemand: boolean): boolean {
  return (
    ipFamily(subject) === 0 && !isInternalSubject(subject) && (subject.split("*.").length - 1 < 2 || onDemand)
  );
}

/** Like {@link isPublicSubject}, with the wildcard rule: one `*`, as the first of at least three labels. */
export function qualifiesForPublicCertificate(subject: string): boolean {
  return (
    qualifiesForCertificate(subject) &&
    !isInternalSubject(subject) &&
    (!subject.includes("*") ||
      (subject.split("*").length === 2 && subject.split(".").length > 2 && subject.startsWith("*.")))
  );
}

/** Names that a service on the machine gives certificates for. */
export function isTailscaleName(name: string): boolean {
  return name.toLowerCase().endsWith(".ts.net");
}

/** Every pattern that {@link matchesWildcard} a name matches, in lower case: itself, and one label (or more) as `*`. */
export function patternsFor(subject: string): string[] {
  const name = hostOnly(subject).toLowerCase();
  const labels = name.split(".");
  const patterns = [name];
  for (let index = 0; index < labels.length && index < maxPatternLabels; index++) {
    if (labels[index] !== "") {
      labels[index] = "*";
      patterns.push(labels.join("."));
    }
  }
  return patterns;
}

/** True when the name equals the pattern, or `*` labels of the pattern match its labels. Source: RFC 6125 section 6.4.3 */
export function matchesWildcard(subject: string, wildcard: string): boolean {
  const name = hostOnly(subject).toLowerCase();
  const pattern = wildcard.toLowerCase();
  if (name === pattern) {
    return true;
  }
  if (!pattern.includes("*")) {
    return false;
  }
  return patternsFor(subject).includes(pattern);
}
