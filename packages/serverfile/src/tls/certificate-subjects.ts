import { BlockList, isIPv4, isIPv6 } from "node:net";
import { splitHostPort } from "server-core/go/host-port";

/**
 * Networks whose addresses get no certificate from a public CA. Source: Caddy, `certmagic.SubjectIsInternal`
 */
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

/** Maximum number of labels of a DNS name. Later labels are ignored. Source: RFC 1035 section 3.1 */
const maxPatternLabels = 127;
/** Suffixes of names that get no certificate from a public CA. */
const internalEndings = [".localhost", ".local", ".internal", ".home.arpa"];

/** A subject without its port and its brackets. */
function hostOnly(subject: string): string {
  if (!subject.includes(":") && !subject.startsWith("[")) {
    return subject; // the usual case; throwing the error below is slow
  }
  try {
    return splitHostPort(subject).host;
  } catch {
    return /^\[.*\]$/.test(subject) ? subject.slice(1, -1) : subject;
  }
}

/**
 * Returns 4, 6, or 0 for text that is no address. Only text with a colon is tested as IPv6, because that pattern is
 * large.
 */
function ipFamily(text: string): 0 | 4 | 6 {
  if (text.includes(":")) {
    return isIPv6(text) ? 6 : 0;
  }
  return isIPv4(text) ? 4 : 0;
}

/** True when a certificate may contain the subject. */
export function qualifiesForCertificate(subject: string): boolean {
  return (
    subject.trim() !== "" &&
    !subject.startsWith(".") &&
    !subject.endsWith(".") &&
    (!subject.includes("*") || subject.startsWith("*.") || subject === "*") &&
    !/[()[\]{}<> \t\n"\\!@#$%^&|;'+=]/.test(subject)
  );
}

/** True for a name or address that gets no certificate from a public CA. */
export function isInternalSubject(subject: string): boolean {
  const host = hostOnly(subject).replace(/\.$/, "").toLowerCase();
  if (host === "localhost" || internalEndings.some((ending) => host.endsWith(ending))) {
    return true;
  }
  const family = ipFamily(host);
  return family !== 0 && internalNetworks.check(host, family === 4 ? "ipv4" : "ipv6");
}

/**
 * True when a public CA would issue a certificate for the subject. @param onDemand true: the certificate is obtained
 * during a handshake
 */
export function isPublicSubject(subject: string, onDemand: boolean): boolean {
  return (
    ipFamily(subject) === 0 && !isInternalSubject(subject) && (subject.split("*.").length - 1 < 2 || onDemand)
  );
}

/**
 * True when a public CA would issue a certificate for the name or IP address. A wildcard must be a single `*` as the
 * first of at least three labels.
 */
export function qualifiesForPublicCertificate(subject: string): boolean {
  return (
    qualifiesForCertificate(subject) &&
    !isInternalSubject(subject) &&
    (!subject.includes("*") ||
      (subject.split("*").length === 2 && subject.split(".").length > 2 && subject.startsWith("*.")))
  );
}

/** True for names whose certificates the machine's Tailscale service provides. */
export function isTailscaleName(name: string): boolean {
  return name.toLowerCase().endsWith(".ts.net");
}

/**
 * All patterns for which {@link matchesWildcard} is true, in lower case: the name itself, and the name with labels
 * replaced by `*`.
 */
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

/**
 * True when the name equals the pattern, where a label `*` of the pattern matches any label. Source: RFC 6125 section
 * 6.4.3
 */
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
