import type { X509Certificate } from "node:crypto";
import { parseCertificates } from "certificates/material/pem";
import { readPemFile } from "certificates/material/read-file";
import type { StoreOutcome } from "certificates/pki/trust/trust-root";
import { StartError } from "lifecycle/errors";
import { exitCodes } from "lifecycle/stop-request";
import { z } from "zod";
import { askAdmin, findAdminAddress } from "./ask-admin.ts";

/** The needed part of `GET /pki/ca/<id>`. */
const authorityInfo = z.object({ root_certificate: z.string() });

/** The first certificate of a PEM text. @throws StartError for a text without a certificate */
function firstOf(pem: string | Uint8Array, source: string): X509Certificate {
  const [root] = parseCertificates(pem, source);
  if (root === undefined) {
    throw new StartError(`${source}: no certificate in PEM`);
  }
  return root;
}

/** The root of a CA of a running server. @param ca id; "" for local. @throws StartError, ServerError */
export async function fetchRoot(
  ca: string,
  address: string,
  config: string,
  adapter: string,
): Promise<X509Certificate> {
  const where = await findAdminAddress(address, config, adapter);
  const path = `/pki/ca/${encodeURIComponent(ca || "local")}`;
  const { body } = await askAdmin(where, { method: "GET", path });
  const info = authorityInfo.safeParse(JSON.parse(body.toString()));
  if (!info.success) {
    throw new StartError(`the server on ${where} answered ${path} without a root_certificate`);
  }
  return firstOf(info.data.root_certificate, `${where}${path}`);
}

/** The root certificate in a file. @throws ServerError CERTIFICATE */
export async function readRoot(file: string): Promise<X509Certificate> {
  return firstOf(await readPemFile(file), file);
}

/** Prints a line for each trust store. @returns exit code: 1 if any store failed */
export function printOutcomes(outcomes: readonly StoreOutcome[], done: string): number {
  for (const { store, fault } of outcomes) {
    if (fault === undefined) {
      process.stdout.write(`${done} ${store}\n`);
    } else {
      process.stderr.write(`server: ${store}: ${fault}\n`);
    }
  }
  return outcomes.some(({ fault }) => fault !== undefined) ? exitCodes.startFailed : exitCodes.success;
}
