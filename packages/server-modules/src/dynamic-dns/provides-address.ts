/** Providers that store only challenge texts (TXT records). */
const textsOnly = new Set(["acmedns"]);

/** True when a DNS provider can set address records. @param name the provider's module name without the namespace */
export function providesAddress(name: string): boolean {
  return !textsOnly.has(name);
}
