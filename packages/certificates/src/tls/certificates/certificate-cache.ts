import { type CertificateSelection, isSelected } from "../../material/certificate-selection.ts";
import { dateFault, type LoadedCertificate } from "../../material/loaded-certificate.ts";

/** Names under which a certificate for `name` may be found: itself, then wildcards, nearest first. */
export function candidateNames(name: string): string[] {
  const labels = name.split(".");
  const names = [name];
  for (let count = 1; count < labels.length; count++) {
    names.push([...Array<string>(count).fill("*"), ...labels.slice(count)].join("."));
  }
  return names;
}

/** Longest name that is looked up; longer texts are no host. Source: RFC 1035, section 2.3.4 */
const maxNameLength = 253;

/** Certificates by the names in them. */
export class CertificateCache {
  readonly #byName = new Map<string, LoadedCertificate[]>();

  add(certificate: LoadedCertificate): void {
    for (const name of certificate.names) {
      const others = (this.#byName.get(name) ?? []).filter(({ id }) => id !== certificate.id);
      this.#byName.set(name, [certificate, ...others]);
    }
  }

  remove(certificate: LoadedCertificate): void {
    for (const name of certificate.names) {
      const others = (this.#byName.get(name) ?? []).filter(({ id }) => id !== certificate.id);
      if (others.length > 0) {
        this.#byName.set(name, others);
      } else {
        this.#byName.delete(name);
      }
    }
  }

  /** Every certificate, once. */
  all(): LoadedCertificate[] {
    return [...new Map([...this.#byName.values()].flat().map((each) => [each.id, each])).values()];
  }

  /** Whether a certificate covers a name, itself or by a wildcard. */
  covers(name: string): boolean {
    return name.length <= maxNameLength && candidateNames(name).some((each) => this.#byName.has(each));
  }

  /**
   * The certificates to show for a name: of each kind of key the newest one added, those that are good today first. The
   * TLS library takes the one that the client understands.
   */
  find(name: string, selection?: CertificateSelection | undefined): LoadedCertificate[] {
    if (name.length > maxNameLength) {
      return [];
    }
    for (const candidate of candidateNames(name)) {
      const all = this.#byName.get(candidate) ?? [];
      const fitting = selection === undefined ? all : all.filter((each) => isSelected(each, selection));
      if (fitting.length > 0) {
        const good = fitting.filter(({ leaf }) => dateFault(leaf) === undefined);
        const byKind = new Map<string, LoadedCertificate>();
        for (const each of good.length > 0 ? good : fitting) {
          if (!byKind.has(each.keyType)) {
            byKind.set(each.keyType, each);
          }
        }
        return [...byKind.values()];
      }
    }
    return [];
  }
}
