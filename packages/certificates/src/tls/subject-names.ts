import { isIP } from "node:net";

/** True when a certificate for the name can be requested. Source: certmagic */
export function qualifiesForCertificate(name: string): boolean {
  const forbidden = /[()[\]{}<> \t\n"\\!@#$%^&|;'+=]/;
  const stars = name.split("*").length - 1;
  return (
    name !== "" &&
    !name.startsWith(".") &&
    !name.endsWith(".") &&
    !forbidden.test(name) &&
    (stars === 0 || (stars === 1 && name.startsWith("*."))) &&
    name.length <= 253
  );
}

/**
 * True when a server name from a client's handshake can be in a certificate. A text with a port or a path is never in a
 * certificate.
 */
export function isServerName(name: string): boolean {
  return isIP(name) !== 0 || (qualifiesForCertificate(name) && !/[:/]/.test(name));
}

/** The wildcard that covers a name: `*.b.c` for `a.b.c`; undefined for an IP address and for a single label. */
export function wildcardOver(name: string): string | undefined {
  const dot = name.indexOf(".");
  return dot < 1 || name.startsWith("*") || isIP(name) !== 0 ? undefined : `*${name.slice(dot)}`;
}

/** True when no public CA issues certificates for a name, because it is a local name, a single label or an address. */
export function isInternalName(name: string): boolean {
  return (
    isIP(name) !== 0 || !name.includes(".") || /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/.test(name)
  );
}

/** True when a subject of a policy matches a name: all its labels equal those of the name, or are `*`. */
export function subjectCovers(subject: string, name: string): boolean {
  if (subject === name) {
    return true;
  }
  const [wanted, given] = [subject.split("."), name.split(".")];
  return wanted.length === given.length && wanted.every((label, at) => label === "*" || label === given[at]);
}
