import { expect, test, vi } from "vitest";
import { KeySchedule } from "./key-schedule.ts";

// RFC 8448, section 3: the trace of a simple handshake. Its transcript hashes stand for its messages.
const hex = (text: string) => Buffer.from(text, "hex");
const sharedSecret = hex("8bd4054fb55b9d63fdfbacf9f04b9f0d35e6d63f537563efd46272900f89492d");
const serverSecret = "b67b7d690cc16c4e75e54213cb2d37b4e9c912bcded9105d42befd59d391ad38";

test("derives the secrets of RFC 8448", () => {
  const schedule = new KeySchedule("sha256");
  const hash = vi.spyOn(schedule, "transcriptHash");
  hash.mockReturnValue(hex("860c06edc07858ee8e78f0e7428c58edd6b43f2ca3e6e95f02ed063cf0e1cad8"));
  const handshake = schedule.handshakeSecrets(sharedSecret);
  expect(handshake.client.toString("hex")).toBe(
    "b3eddb126e067f35a780b3abf45e2d8f3b1a950738f52e9600746a0e27a55a21",
  );
  expect(handshake.server.toString("hex")).toBe(serverSecret);

  hash.mockReturnValue(hex("edb7725fa7a3473b031ec8ef65a2485493900138a2b91291407d7951a06110ed"));
  expect(schedule.finished(handshake.server).toString("hex")).toBe(
    "9b9b141d906337fbd2cbdce71df4deda4ab42c309572cb7fffee5454b78f0718",
  );

  hash.mockReturnValue(hex("9608102a0f1ccc6db6250b7b7e417b1a000eaada3daae4777a7686c9ff83df13"));
  const application = schedule.applicationSecrets();
  expect(application.client.toString("hex")).toBe(
    "9e40646ce79a7f9dc05af8889bce6552875afa0b06df0087f792ebb7c17504a5",
  );
  expect(application.server.toString("hex")).toBe(
    "a11af9f05531f856ad47116b45a950328204b4f44bfb6b3a4b4f1f3fcb631643",
  );
});
