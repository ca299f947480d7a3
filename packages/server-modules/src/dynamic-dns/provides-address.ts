/** Providers that keep nothing but the texts of challenges. */
const textsOnly = new Set(["acmedns"]);

/** Whether a DNS provider may have records of addresses. @param name its module's, without the namespace */
export function providesAddress(name: string): boolean {
  return !textsOnly.has(name);
}
