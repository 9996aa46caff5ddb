// Names of styles follow the file they stand in, so that the frame drawn when the page is built has those of the program.
const cssHash = ({ hash, filename }) => `s-${hash(filename.slice(filename.lastIndexOf("/src/")))}`;

export default { compilerOptions: { runes: true, cssHash } };
