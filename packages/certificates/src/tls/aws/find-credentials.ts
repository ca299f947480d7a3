import { homedir } from "node:os";
import { join } from "node:path";
import { ServerError } from "server-core/errors";
import { readRegularFileSync } from "server-core/files/read-regular-file";
import { z } from "zod";
import { ApiClient, pathOf } from "../api/api-client.ts";
import type { AwsCredentials } from "./sign-request.ts";

const maxFileBytes = 1024 * 1024;
const tokenLifeSeconds = "21600";

const machineSchema = z.object({
  AccessKeyId: z.string(),
  SecretAccessKey: z.string(),
  Token: z.string(),
  Expiration: z.string(),
});

/** Sources of credentials other than the config. */
export interface CredentialPlaces {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** URL of the AWS service with the credentials of the machine's own role. */
  readonly metadata: string;
  /** Base URL of the AWS service with the credentials of a container's role, if the environment names only a path. */
  readonly container: string;
}

export const realPlaces: CredentialPlaces = {
  environment: process.env,
  metadata: "http://169.254.169.254",
  container: "http://169.254.170.2",
};

/** Files of AWS's tools, and the profile that is read from them. */
function profilePlaces(profile: string | undefined, environment: CredentialPlaces["environment"]) {
  const folder = join(environment.HOME || homedir(), ".aws");
  return {
    name: profile || environment.AWS_PROFILE || "default",
    credentials: environment.AWS_SHARED_CREDENTIALS_FILE || join(folder, "credentials"),
    config: environment.AWS_CONFIG_FILE || join(folder, "config"),
  };
}

/** The region of the environment, or of the profile; undefined when neither has one. */
export function findRegion(
  profile: string | undefined,
  environment: CredentialPlaces["environment"] = process.env,
): string | undefined {
  const places = profilePlaces(profile, environment);
  return (
    environment.AWS_REGION ||
    environment.AWS_DEFAULT_REGION ||
    profileIn(places.config, places.name)?.region ||
    profileIn(places.credentials, places.name)?.region
  );
}

/** Reads a profile from a file of AWS's tools, which contains lines with `[profile]` and then with `name = value`. */
function profileIn(path: string, profile: string): Readonly<Record<string, string>> | undefined {
  let text: string;
  try {
    text = readRegularFileSync(path, maxFileBytes).toString();
  } catch {
    return undefined;
  }
  let found: Record<string, string> | undefined;
  let isIn = false;
  for (const line of text.split(/\r?\n/)) {
    const section = /^\s*\[(?:profile\s+)?([^\]]+)\]/.exec(line)?.[1]?.trim();
    if (section !== undefined) {
      isIn = section === profile;
      found ??= isIn ? {} : undefined;
    } else if (isIn && found !== undefined) {
      const [, name, value] = /^\s*([\w-]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
      if (name !== undefined && value !== undefined) {
        found[name] = value;
      }
    }
  }
  return found;
}

const fromMachine = (given: z.infer<typeof machineSchema>): AwsCredentials => ({
  accessKeyId: given.AccessKeyId,
  secretAccessKey: given.SecretAccessKey,
  sessionToken: given.Token,
  endsAtMs: Date.parse(given.Expiration),
});

async function ofContainer({
  environment,
  container,
}: CredentialPlaces): Promise<AwsCredentials | undefined> {
  const { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: relative, AWS_CONTAINER_CREDENTIALS_FULL_URI: full } =
    environment;
  if (!relative && !full) {
    return undefined;
  }
  const url = new URL(relative ? `${container}${relative}` : (full ?? ""));
  const token = environment.AWS_CONTAINER_AUTHORIZATION_TOKEN;
  const client = new ApiClient({ name: "aws", base: url.origin });
  try {
    return fromMachine(
      await client.json(machineSchema, {
        method: "GET",
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        ...(token ? { headers: { authorization: token } } : {}),
      }),
    );
  } finally {
    await client.close();
  }
}

/** Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html, version 2 */
async function ofMachine({ metadata }: CredentialPlaces): Promise<AwsCredentials> {
  const client = new ApiClient({ name: "aws", base: metadata });
  try {
    const { text: token } = await client.ask({
      method: "PUT",
      path: "/latest/api/token",
      headers: { "x-aws-ec2-metadata-token-ttl-seconds": tokenLifeSeconds },
    });
    const headers = { "x-aws-ec2-metadata-token": token };
    const roles = "/latest/meta-data/iam/security-credentials";
    const { text: role } = await client.ask({ method: "GET", path: `${roles}/`, headers });
    return fromMachine(
      await client.json(machineSchema, {
        method: "GET",
        path: `${roles}${pathOf(role.trim().split("\n")[0] ?? "")}`,
        headers,
      }),
    );
  } catch (error) {
    throw new ServerError(
      "ACME",
      "there are no credentials in the config, the environment, a profile or the machine's role",
      { cause: error },
    );
  } finally {
    await client.close();
  }
}

/**
 * Finds credentials in the environment, in a profile of AWS's files, for the container's role, or for the machine's
 * role, in this order.
 * @param profile name of the profile, which is then the only source; undefined: the profile is the one that the
 * environment names, otherwise `default`
 * @throws ServerError ACME when there are none
 */
export async function findCredentials(
  profile: string | undefined,
  places: CredentialPlaces,
): Promise<AwsCredentials> {
  const { environment } = places;
  if (!profile && environment.AWS_ACCESS_KEY_ID && environment.AWS_SECRET_ACCESS_KEY) {
    return {
      accessKeyId: environment.AWS_ACCESS_KEY_ID,
      secretAccessKey: environment.AWS_SECRET_ACCESS_KEY,
      sessionToken: environment.AWS_SESSION_TOKEN,
    };
  }
  const { name, credentials: file, config } = profilePlaces(profile, environment);
  const found = profileIn(file, name) ?? profileIn(config, name);
  if (found?.aws_access_key_id && found.aws_secret_access_key) {
    return {
      accessKeyId: found.aws_access_key_id,
      secretAccessKey: found.aws_secret_access_key,
      sessionToken: found.aws_session_token,
    };
  }
  if (profile) {
    throw new ServerError("ACME", `the profile ${profile} has no credentials in ${file}`);
  }
  return (await ofContainer(places)) ?? (await ofMachine(places));
}
