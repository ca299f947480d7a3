import { createPrivateKey, X509Certificate } from "node:crypto";
import { messageOf } from "server-core/errors";
import type { Secret } from "../cluster/kube-object.ts";
import type { LoadedCertificate } from "./site-listener.ts";

/** Tag of the certificate in a Secret. */
export function tagOf(secretKey: string): string {
  return `kubernetes:${secretKey}`;
}

/** The last checked certificate of each Secret, because a check of a key costs a millisecond. */
const checked = new WeakMap<Secret, LoadedCertificate | { readonly message: string }>();

function read(secret: Secret): LoadedCertificate | { readonly message: string } {
  const text = (name: string) => Buffer.from(secret.data?.[name] ?? "", "base64").toString();
  const certificate = text("tls.crt");
  const key = text("tls.key");
  if (certificate === "" || key === "") {
    return { message: "without tls.crt and tls.key" };
  }
  try {
    if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) {
      return { message: "its key belongs to another certificate" };
    }
  } catch (error) {
    return { message: messageOf(error) };
  }
  return { certificate, key };
}

/** Reads the certificate of a Secret, and checks that the server could load it. */
export function readCertificate(secret: Secret): LoadedCertificate | { readonly message: string } {
  const known = checked.get(secret);
  if (known !== undefined) {
    return known;
  }
  const result = read(secret);
  checked.set(secret, result);
  return result;
}
