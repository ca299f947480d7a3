/** Matches member names for secrets: passwords, keys, account tokens. */
const secretName =
  /(?:^|_)(?:password|passwd|secrets?|secret_key|token|api_token|auth_token|api_key|apikey|access_key|private_key|credentials?|mac_key|hmac|cookie_key|sign_key|encryption_key|client_secret|bearer)$/i;

/** Matches header fields that carry credentials. */
const secretField = /^(?:authorization|proxy-authorization|cookie|x-api-key|x-auth-token)$/i;

/** The text that replaces a secret. */
const hidden = "(hidden)";

/** The member that replaces an omitted part of an object. */
export const leftOut = "(left out)";

/** A text with a placeholder is not secret, because it only names the source of the secret. */
function isSecret(value: unknown): boolean {
  return typeof value === "string" && value !== "" && !/^\{(?:env|file)\.[^}]*\}$/.test(value);
}

/** Matches a private key in PEM, which is hidden under any name. */
const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;

/** True for the name of a member or header field with a secret. */
function isSecretName(name: string): boolean {
  return secretName.test(name) || secretField.test(name);
}

/** Hides all texts in a value, for example below a member `credentials`. */
function hideAll(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(hideAll);
  }
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hideAll(item)]));
  }
  return isSecret(value) ? hidden : value;
}

/**
 * A part of a config without secrets, because assistants send the parts that they read to a model of a third party. The
 * names of members show which values are secrets. Placeholders such as `{env.X}` are not replaced. `{ "password": "x",
 * "user": "a" }` becomes `{ "password": "(hidden)", "user": "a" }`.
 * @param name name of the member whose value is given
 */
export function hideSecrets(value: unknown, name = ""): unknown {
  if (isSecretName(name)) {
    return hideAll(value);
  }
  if (typeof value === "string") {
    return privateKey.test(value) ? hidden : value;
  }
  if (Array.isArray(value)) {
    return value.map((item) => hideSecrets(item));
  }
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hideSecrets(item, key)]));
  }
  return value;
}

/** Removes secrets from a JSON patch. The paths in a patch contain the names of the members. */
export function hideSecretsInPatch(patch: unknown): unknown {
  if (!Array.isArray(patch)) {
    return hideSecrets(patch);
  }
  return patch.map((change: Readonly<Record<string, unknown>>) => {
    if (!("value" in change)) {
      return change;
    }
    const names = String(change.path)
      .split("/")
      .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
    const { value } = change;
    return { ...change, value: names.some(isSecretName) ? hideAll(value) : hideSecrets(value) };
  });
}

/**
 * True when a value contains a placeholder for a secret or an omitted part. Writing such a value would overwrite the
 * real value.
 */
export function hasHidden(value: unknown): boolean {
  if (typeof value === "string") {
    return value === hidden;
  }
  return (
    typeof value === "object" &&
    value !== null &&
    (Object.hasOwn(value, leftOut) || Object.values(value).some(hasHidden))
  );
}
