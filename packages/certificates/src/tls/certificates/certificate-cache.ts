import { type CertificateSelection, isSelected } from "../../material/certificate-selection.ts";
import { dateFault, type LoadedCertificate } from "../../material/loaded-certificate.ts";

/**
 * Names under which a certificate for `name` may be found: the name itself, then wildcards, the most specific first.
 */
export function candidateNames(name: string): string[] {
  const labels = name.split(".");
  const names = [name];
  for (let count = 1; count < labels.length; count++) {
    names.push([...Array<string>(count).fill("*"), ...labels.slice(count)].join("."));
  }
  return names;
}

/** Length limit of names for a search; longer texts cannot be hosts. Source: RFC 1035, section 2.3.4 */
const maxNameLength = 253;

/** For each kind of key the first certificate, preferring currently valid certificates. */
function firstOfEachKind(fitting: readonly LoadedCertificate[]): LoadedCertificate[] {
  const good = fitting.filter(({ leaf }) => dateFault(leaf) === undefined);
  const byKind = new Map<string, LoadedCertificate>();
  for (const each of good.length > 0 ? good : fitting) {
    if (!byKind.has(each.keyType)) {
      byKind.set(each.keyType, each);
    }
  }
  return [...byKind.values()];
}

/** Certificates by their names. */
export class CertificateCache {
  readonly #byName = new Map<string, LoadedCertificate[]>();
  /** The result of `all`; undefined after a change. */
  #all: LoadedCertificate[] | undefined;

  add(certificate: LoadedCertificate): void {
    this.#all = undefined;
    for (const name of certificate.names) {
      const others = (this.#byName.get(name) ?? []).filter(({ id }) => id !== certificate.id);
      this.#byName.set(name, [certificate, ...others]);
    }
  }

  remove(certificate: LoadedCertificate): void {
    this.#all = undefined;
    for (const name of certificate.names) {
      const others = (this.#byName.get(name) ?? []).filter(({ id }) => id !== certificate.id);
      if (others.length > 0) {
        this.#byName.set(name, others);
      } else {
        this.#byName.delete(name);
      }
    }
  }

  /** All certificates, without repeats. */
  all(): LoadedCertificate[] {
    this.#all ??= [...new Map([...this.#byName.values()].flat().map((each) => [each.id, each])).values()];
    return [...this.#all];
  }

  /** True when a certificate covers a name, directly or by a wildcard. */
  covers(name: string): boolean {
    return name.length <= maxNameLength && candidateNames(name).some((each) => this.#byName.has(each));
  }

  /**
   * The certificates to send for a name: for each kind of key the newest certificate, preferring currently valid
   * certificates. The TLS library chooses the certificate that the client supports. When no certificate has the name, a
   * selection chooses from all certificates, as in Caddy.
   */
  find(name: string, selection?: CertificateSelection | undefined): LoadedCertificate[] {
    if (name.length > maxNameLength) {
      return [];
    }
    for (const candidate of candidateNames(name)) {
      const all = this.#byName.get(candidate) ?? [];
      const fitting = selection === undefined ? all : all.filter((each) => isSelected(each, selection));
      if (fitting.length > 0) {
        return firstOfEachKind(fitting);
      }
    }
    return selection === undefined
      ? []
      : firstOfEachKind(this.all().filter((each) => isSelected(each, selection)));
  }
}
