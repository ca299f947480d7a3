import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type Machine, runPrivileged, runProgram } from "./machine.ts";
import { checkResult, storeName, type TrustStore } from "./trust-store.ts";

/** Default password of the key store in a Java installation. */
const password = "changeit";

/** The key store of the Java installation in `JAVA_HOME`; undefined without such a store. */
export async function javaStore(machine: Machine): Promise<TrustStore | undefined> {
  const home = machine.environment.JAVA_HOME ?? "";
  if (home === "") {
    return undefined;
  }
  const keytool = join(home, "bin", machine.platform === "win32" ? "keytool.exe" : "keytool");
  const places = [join(home, "jre/lib/security/cacerts"), join(home, "lib/security/cacerts")];
  const exist = await Promise.all([keytool, ...places].map((path) => stat(path).catch(() => undefined)));
  const store = places.find((_, index) => exist[index + 1] !== undefined);
  if (exist[0] === undefined || store === undefined) {
    return undefined;
  }
  const common = ["-keystore", store, "-storepass", password];
  const listed = async (alias: string) =>
    (await runProgram(machine, keytool, ["-list", ...common, "-alias", alias])).code === 0;
  return {
    name: `Java (${store})`,
    async install({ certificate, path }) {
      const alias = storeName(certificate);
      if (!(await listed(alias))) {
        const args = ["-importcert", "-noprompt", ...common, "-file", path, "-alias", alias];
        checkResult("keytool -importcert", await runPrivileged(machine, keytool, args));
      }
    },
    async remove({ certificate }) {
      const alias = storeName(certificate);
      if (await listed(alias)) {
        checkResult(
          "keytool -delete",
          await runPrivileged(machine, keytool, ["-delete", ...common, "-alias", alias]),
        );
      }
    },
  };
}
