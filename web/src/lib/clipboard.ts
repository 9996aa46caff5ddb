/**
 * Copies a text that is still being asked for. The browser allows it only as part of the click, so it is given the
 * promise. False if there is no text or the browser refused.
 */
export async function copyLater(text: Promise<string | null>): Promise<boolean> {
  try {
    if (typeof ClipboardItem === "undefined") await navigator.clipboard.writeText(filled(await text));
    else await navigator.clipboard.write([new ClipboardItem({ "text/plain": text.then(asBlob) })]);
    return true;
  } catch {
    return false;
  }
}

function asBlob(text: string | null): Blob {
  return new Blob([filled(text)], { type: "text/plain" });
}

function filled(text: string | null): string {
  if (text === null) throw new Error("nothing to copy");
  return text;
}
