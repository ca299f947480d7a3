import { z } from "zod";
import type { LoadedCertificate } from "./loaded-certificate.ts";

const keyAlgorithms: Readonly<Record<string, string>> = { rsa: "rsa", ecdsa: "ec", ed25519: "ed25519" };

const algorithm = z.string().refine((name) => Object.hasOwn(keyAlgorithms, name.toLowerCase()), {
  error: (issue) => `unrecognized public key algorithm: ${issue.input}`,
});

/**
 * Conditions for choosing among several certificates for a name. A certificate must meet all of them. Source: Caddy
 * (Caddy 2.11)
 */
export const certificateSelectionSchema = z.strictObject({
  serial_number: z.array(z.coerce.string()).nullish().describe("Serial numbers, decimal."),
  subject_organization: z.array(z.string()).nullish().describe("Organizations in the subject."),
  public_key_algorithm: algorithm.nullish().describe("rsa, ecdsa or ed25519."),
  any_tag: z.array(z.string()).nullish().describe("Tags of which the certificate has one."),
  all_tags: z.array(z.string()).nullish().describe("Tags that the certificate has all."),
});

export type CertificateSelection = z.infer<typeof certificateSelectionSchema>;

/** True when the selection allows this certificate. */
export function isSelected(certificate: LoadedCertificate, selection: CertificateSelection): boolean {
  const { leaf, tags, keyType } = certificate;
  const serial = BigInt(`0x${leaf.serialNumber}`).toString();
  const organizations = [...leaf.subject.matchAll(/^O=(.+)$/gm)].map((match) => match[1] ?? "");
  const kind = keyAlgorithms[selection.public_key_algorithm?.toLowerCase() ?? ""];
  return (
    (!selection.serial_number?.length || selection.serial_number.includes(serial)) &&
    (!selection.subject_organization?.length ||
      selection.subject_organization.some((name) => organizations.includes(name))) &&
    (kind === undefined || keyType === kind) &&
    (!selection.any_tag?.length || selection.any_tag.some((tag) => tags.includes(tag))) &&
    (selection.all_tags ?? []).every((tag) => tags.includes(tag))
  );
}
