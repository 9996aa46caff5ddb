import { tick } from "svelte";

/** While the page is printed, everything is drawn, wherever it is. */
export const printing: { is: boolean } = $state({ is: false });

/** Something that is still asked for says so with this attribute. */
const LOADING = "[data-loading]";
/** A session that takes longer is printed as far as it is there, in ms. */
const MOST = 60_000;

/** Prints the page once all of it is loaded. */
export async function printAll(): Promise<void> {
  printing.is = true;
  const begun = Date.now();
  do {
    await tick();
    await new Promise((resolve) => setTimeout(resolve, 60));
  } while (document.querySelector(LOADING) !== null && Date.now() - begun < MOST);
  window.print();
  printing.is = false;
}
