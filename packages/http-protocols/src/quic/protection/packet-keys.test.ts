import { expect, test } from "vitest";
import { readPacketHeader } from "../wire/packet-header.ts";
import { aes128Gcm, aes256Gcm, chacha20Poly1305 } from "./cipher-suites.ts";
import { expandLabel } from "./hkdf.ts";
import { initialKeys, retryIntegrityTag } from "./initial-keys.ts";
import { tagBytes } from "./packet-cipher.ts";
import { openPacket, type PacketKeys, packetKeysOf, sealPacket } from "./packet-keys.ts";

// RFC 9001, appendix A
const hex = (text: string) => Buffer.from(text, "hex");
const clientId = hex("8394c8f03e515708");
const none = Buffer.alloc(0);
const vectors = [
  {
    name: "client's Initial packet",
    keys: () => initialKeys(clientId).client,
    header: hex("c300000001088394c8f03e5157080000449e00000002"),
    payload: Buffer.concat(
      [
        hex(
          "060040f1010000ed0303ebf8fa56f12939b9584a3896472ec40bb863cfd3e86804fe3a47f06a2b69484c00000413011302010000" +
            "c000000010000e00000b6578616d706c652e636f6dff01000100000a00080006001d0017001800100007000504616c706e000500" +
            "050100000000003300260024001d00209370b2c9caa47fbabaf4559fedba753de171fa71f50f1ce15d43e994ec74d748002b0003" +
            "020304000d0010000e0403050306030203080408050806002d00020101001c00024001003900320408ffffffffffffffff050480" +
            "00ffff07048000ffff0801100104800075300901100f088394c8f03e51570806048000ffff",
        ),
      ],
      1_162,
    ),
    packetNumber: 2,
    sealed: hex(
      "c000000001088394c8f03e5157080000449e7b9aec34d1b1c98dd7689fb8ec11d242b123dc9bd8bab936b47d92ec356c0bab7df5" +
        "976d27cd449f63300099f3991c260ec4c60d17b31f8429157bb35a1282a643a8d2262cad67500cadb8e7378c8eb7539ec4d4905f" +
        "ed1bee1fc8aafba17c750e2c7ace01e6005f80fcb7df621230c83711b39343fa028cea7f7fb5ff89eac2308249a02252155e2347" +
        "b63d58c5457afd84d05dfffdb20392844ae812154682e9cf012f9021a6f0be17ddd0c2084dce25ff9b06cde535d0f920a2db1bf3" +
        "62c23e596d11a4f5a6cf3948838a3aec4e15daf8500a6ef69ec4e3feb6b1d98e610ac8b7ec3faf6ad760b7bad1db4ba3485e8a94" +
        "dc250ae3fdb41ed15fb6a8e5eba0fc3dd60bc8e30c5c4287e53805db059ae0648db2f64264ed5e39be2e20d82df566da8dd5998c" +
        "cabdae053060ae6c7b4378e846d29f37ed7b4ea9ec5d82e7961b7f25a9323851f681d582363aa5f89937f5a67258bf63ad6f1a0b" +
        "1d96dbd4faddfcefc5266ba6611722395c906556be52afe3f565636ad1b17d508b73d8743eeb524be22b3dcbc2c7468d54119c74" +
        "68449a13d8e3b95811a198f3491de3e7fe942b330407abf82a4ed7c1b311663ac69890f4157015853d91e923037c227a33cdd5ec" +
        "281ca3f79c44546b9d90ca00f064c99e3dd97911d39fe9c5d0b23a229a234cb36186c4819e8b9c5927726632291d6a418211cc29" +
        "62e20fe47feb3edf330f2c603a9d48c0fcb5699dbfe5896425c5bac4aee82e57a85aaf4e2513e4f05796b07ba2ee47d80506f8d2" +
        "c25e50fd14de71e6c418559302f939b0e1abd576f279c4b2e0feb85c1f28ff18f58891ffef132eef2fa09346aee33c28eb130ff2" +
        "8f5b766953334113211996d20011a198e3fc433f9f2541010ae17c1bf202580f6047472fb36857fe843b19f5984009ddc324044e" +
        "847a4f4a0ab34f719595de37252d6235365e9b84392b061085349d73203a4a13e96f5432ec0fd4a1ee65accdd5e3904df54c1da5" +
        "10b0ff20dcc0c77fcb2c0e0eb605cb0504db87632cf3d8b4dae6e705769d1de354270123cb11450efc60ac47683d7b8d0f811365" +
        "565fd98c4c8eb936bcab8d069fc33bd801b03adea2e1fbc5aa463d08ca19896d2bf59a071b851e6c239052172f296bfb5e724047" +
        "90a2181014f3b94a4e97d117b438130368cc39dbb2d198065ae3986547926cd2162f40a29f0c3c8745c0f50fba3852e566d44575" +
        "c29d39a03f0cda721984b6f440591f355e12d439ff150aab7613499dbd49adabc8676eef023b15b65bfc5ca06948109f23f350db" +
        "82123535eb8a7433bdabcb909271a6ecbcb58b936a88cd4e8f2e6ff5800175f113253d8fa9ca8885c2f552e657dc603f252e1a8e" +
        "308f76f0be79e2fb8f5d5fbbe2e30ecadd220723c8c0aea8078cdfcb3868263ff8f0940054da48781893a7e49ad5aff4af300cd8" +
        "04a6b6279ab3ff3afb64491c85194aab760d58a606654f9f4400e8b38591356fbf6425aca26dc85244259ff2b19c41b9f96f3ca9" +
        "ec1dde434da7d2d392b905ddf3d1f9af93d1af5950bd493f5aa731b4056df31bd267b6b90a079831aaf579be0a39013137aac6d4" +
        "04f518cfd46840647e78bfe706ca4cf5e9c5453e9f7cfd2b8b4c8d169a44e55c88d4a9a7f9474241e221af44860018ab0856972e" +
        "194cd934",
    ),
  },
  {
    name: "server's Initial packet",
    keys: () => initialKeys(clientId).server,
    header: hex("c1000000010008f067a5502a4262b50040750001"),
    payload: hex(
      "02000000000600405a020000560303eefce7f7b37ba1d1632e96677825ddf73988cfc79825df566dc5430b9a045a120013010000" +
        "2e00330024001d00209d3c940d89690b84d08a60993c144eca684d1081287c834d5311bcf32bb9da1a002b00020304",
    ),
    packetNumber: 1,
    sealed: hex(
      "cf000000010008f067a5502a4262b5004075c0d95a482cd0991cd25b0aac406a5816b6394100f37a1c69797554780bb38cc5a99f" +
        "5ede4cf73c3ec2493a1839b3dbcba3f6ea46c5b7684df3548e7ddeb9c3bf9c73cc3f3bded74b562bfb19fb84022f8ef4cdd93795" +
        "d77d06edbb7aaf2f58891850abbdca3d20398c276456cbc42158407dd074ee",
    ),
  },
  {
    name: "packet of ChaCha20-Poly1305 with a short header",
    keys: () =>
      packetKeysOf(chacha20Poly1305, hex("9ac312a7f877468ebe69422748ad00a15443f18203a07d6060f688f30f21632b")),
    header: hex("4200bff4"),
    payload: hex("01"),
    packetNumber: 654_360_564,
    sealed: hex("4cfe4189655e5cd55c41f69080575d7999c25a5bfb"),
  },
];

const seal = (keys: PacketKeys, header: Buffer, payload: Buffer, packetNumber: number) => {
  const packet = Buffer.concat([header, payload, Buffer.alloc(tagBytes)]);
  const numberBytes = ((header[0] as number) & 3) + 1;
  const place = { from: 0, numberAt: header.length - numberBytes, payloadEnd: packet.length - tagBytes };
  sealPacket(keys, packet, { ...place, packetNumber });
  return packet;
};

test.each(vectors)("seals the $name", ({ keys, header, payload, packetNumber, sealed }) => {
  expect(seal(keys(), header, payload, packetNumber).toString("hex")).toBe(sealed.toString("hex"));
});

test.each(vectors)("opens the $name", ({ keys, payload, packetNumber, sealed }) => {
  const datagram = Buffer.from(sealed);
  const header = readPacketHeader(datagram, 0, 0)!;
  const opened = openPacket(keys(), datagram, header, packetNumber - 1);
  expect(opened).toEqual({ packetNumber, payload, reservedBits: 0 });
});

test.each(vectors)("does not open the $name when a bit is wrong", ({ keys, packetNumber, sealed }) => {
  for (const at of [0, sealed.length >> 1, sealed.length - 1]) {
    const datagram = Buffer.from(sealed);
    datagram[at] = (datagram[at] as number) ^ 1;
    const header = readPacketHeader(datagram, 0, 0)!;
    expect(openPacket(keys(), datagram, header, packetNumber - 1)).toBeUndefined();
  }
});

test("derives the keys of the appendix", () => {
  const secret = hex("c00cf151ca5be075ed0ebfb5c80323c42d6b7db67881289af4008f1f6c357aea");
  const derive = (label: string, bytes: number) =>
    expandLabel("sha256", secret, { label, length: bytes }).toString("hex");
  expect(derive("quic key", 16)).toBe("1f369613dd76d5467730efcbe3b1a22d");
  expect(derive("quic iv", 12)).toBe("fa044b2f42a3fd3b46fb255c");
  expect(derive("quic hp", 16)).toBe("9f50449e04a0e810283a1e9933adedd2");
});

test("derives the secret of the next key phase", () => {
  const secret = hex("9ac312a7f877468ebe69422748ad00a15443f18203a07d6060f688f30f21632b");
  expect(expandLabel("sha256", secret, { label: "quic ku", length: 32 }).toString("hex")).toBe(
    "1223504755036d556342ee9361d253421a826c9ecdf3c7148684b36b714881f9",
  );
});

test.each([aes128Gcm, aes256Gcm, chacha20Poly1305])("updates the key of $cipher", (suite) => {
  const keys = packetKeysOf(suite, Buffer.alloc(suite.hash === "sha256" ? 32 : 48, 7));
  const next = { header: keys.header, cipher: keys.cipher.next() };
  const large = 2 ** 40 + 3;
  const packet = seal(next, hex("41000003"), Buffer.from("a payload of some bytes"), large);
  const header = readPacketHeader(packet, 0, 1)!;
  expect(openPacket(keys, Buffer.from(packet), header, large - 1)).toBeUndefined();
  expect(openPacket(next, packet, header, large - 1)?.payload.toString()).toBe("a payload of some bytes");
});

test("does not read a packet that is shorter than a sample", () => {
  const packet = seal(initialKeys(clientId).client, hex("4001"), none, 1).subarray(0, 17);
  const header = readPacketHeader(packet, 0, 0)!;
  expect(openPacket(initialKeys(clientId).client, packet, header, 0)).toBeUndefined();
});

test("makes the tag of the appendix for a Retry packet", () => {
  const packet = hex("ff000000010008f067a5502a4262b5746f6b656e");
  expect(retryIntegrityTag(clientId, packet).toString("hex")).toBe("04a265ba2eff4d829058fb3f0f2496ba");
});
