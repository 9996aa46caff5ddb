/**
 * Words for password in other languages, in lower case. Words of the letters A to Z are found in any case and also as
 * part of the name of a field; the others as they are written here and with a capital first letter.
 */
export const PASSWORD_WORDS: readonly (readonly [language: string, words: string])[] = [
  ["German", "passwort kennwort losungswort zugangscode geheimer_schlüssel"],
  ["French", "mot_de_passe motdepasse mdp clé_secrète clé_privée"],
  ["Spanish", "contraseña contrasena contrasenia clave_secreta"],
  ["Catalan", "contrasenya"],
  ["Portuguese", "senha palavra_passe chave_secreta"],
  ["Italian", "parola_d'ordine parola_chiave chiave_segreta"],
  ["Dutch", "wachtwoord paswoord"],
  ["Swedish", "lösenord losenord"],
  ["Norwegian", "passord"],
  ["Danish", "adgangskode kodeord"],
  ["Finnish", "salasana"],
  ["Icelandic", "lykilorð aðgangsorð"],
  ["Estonian", "salasõna salasona parool"],
  ["Latvian", "parole"],
  ["Lithuanian", "slaptažodis slaptazodis"],
  ["Polish", "hasło hasła haslo"],
  ["Czech, Slovak", "heslo"],
  ["Slovenian", "geslo"],
  ["Croatian, Serbian, Bosnian", "lozinka lozinku лозинка"],
  ["Hungarian", "jelszó jelszavam jelszava jelszo"],
  ["Romanian", "parolă parola"],
  ["Turkish", "şifre sifre parola"],
  ["Albanian", "fjalëkalim"],
  ["Russian", "пароль пароля пароли пасс секретный_ключ токен"],
  ["Ukrainian", "гасло пароль"],
  ["Bulgarian", "парола"],
  ["Greek", "κωδικός κωδικό κωδικος συνθηματικό"],
  ["Hebrew", "סיסמה סיסמא הסיסמה"],
  ["Arabic", "الرمز_السري كلمة_المرور كلمة_السر كلمة_مرور"],
  ["Persian", "رمز_عبور گذرواژه"],
  ["Hindi", "पासवर्ड कूटशब्द"],
  ["Bengali", "পাসওয়ার্ড"],
  ["Chinese", "密码 密碼 口令 密钥 金鑰 令牌"],
  ["Japanese", "トークン パスワード 暗証番号 パスフレーズ"],
  ["Korean", "토큰 비밀번호 비번 암호 패스워드"],
  ["Vietnamese", "mật_khẩu mat_khau"],
  ["Indonesian", "kata_sandi sandi"],
  ["Malay", "kata_laluan"],
  ["Thai", "รหัสผ่าน"],
  ["Swahili", "nywila nenosiri"],
  ["Afrikaans", "wagwoord"],
  ["Luxembourgish", "passwuert"],
  ["Faroese", "loyniorð"],
  ["Basque", "pasahitza"],
  ["Galician", "contrasinal"],
  ["Welsh", "cyfrinair"],
  ["Irish", "pasfhocal"],
  ["Esperanto", "pasvorto"],
  ["Georgian", "პაროლი"],
  ["Armenian", "գաղտնաբառ"],
  ["Kazakh", "құпия_сөз құпиясөз"],
  ["Mongolian", "нууц_үг"],
  ["Azerbaijani, Uzbek", "parolu paroli şifrə"],
  ["Urdu", "پاس_ورڈ"],
  ["Tamil", "கடவுச்சொல்"],
  ["Telugu", "పాస్‌వర్డ్ పాస్వర్డ్"],
  ["Kannada", "ಪಾಸ್‌ವರ್ಡ್ ಗುಪ್ತಪದ"],
  ["Malayalam", "പാസ്‌വേഡ്"],
  ["Marathi", "संकेतशब्द"],
  ["Gujarati", "પાસવર્ડ"],
  ["Punjabi", "ਪਾਸਵਰਡ"],
  ["Sinhala", "මුරපදය"],
  ["Khmer", "ពាក្យសម្ងាត់"],
  ["Lao", "ລະຫັດຜ່ານ"],
  ["Burmese", "စကားဝှက်"],
  ["Amharic", "የይለፍ_ቃል"],
];

/** Words between such a word and the password: `is`, `lautet`, `は`. Sorted by no rule: they do not overlap. */
export const IS_WORDS: readonly string[] = [
  ..."is|was|are|c'est|will be|to|as|ist|lautet|lauten|war|heißt|est|sera|es|era|será|é|è|sarà|jest|je|bude|bol|byl|este".split(
    "|",
  ),
  ..."är|var|er|on|oli|là|adalah|ialah|คือ|είναι|היא|הוא|هي|هو|है|হল|это|был|є|е|и|yra|ir|az|a következő".split("|"),
  ..."是|为|為|は|는|은".split("|"),
];

/** Words between a word for password and what it is for: `for the server`, `от базы`. */
export const FOR_WORDS: readonly string[] =
  "for|of|from|on|at|to|für|von|zu|zum|vom|pour|de|du|des|del|para|do|da|per|di|della|voor|van|för|til|till|dla|для|от|на".split(
    "|",
  );

/** Words between a login and its host. */
export const AT_WORDS: readonly string[] =
  "at|on|for|to|via|auf|unter|bei|für|zu|sur|à|pour|en|in|su|para|em|på|na|op|bij|w|в|на|для".split("|");

/** Words between a name and its password. */
export const AND_WORDS: readonly string[] = "with|and|mit|und|avec|et|con|y|e|и".split("|");

/** Quotation marks that open and close, the colon and the equals sign of other scripts, arrows and dashes. */
export const MARKS: Readonly<Record<"opening" | "closing" | "colon" | "equals" | "arrow" | "dashes", string>> = {
  opening: "«„“‘「『",
  closing: "»”“’」』",
  colon: "：",
  equals: "＝",
  arrow: "→",
  dashes: "—–",
};

/** Accounts that exist on most systems. */
export const ACCOUNTS: readonly string[] = (
  "admin administrator root ubuntu debian ec2-user postgres oracle vagrant ansible deploy jenkins tomcat elastic grafana " +
  "minio rabbitmq neo4j odoo wordpress cisco ubnt"
).split(" ");

/** Words that announce a name and a password. */
export const LOGIN_WORDS: readonly string[] = [
  ..."credentials|creds|cred|login|log in|logins|username/password|user/password|user/pass|user/pw".split("|"),
  ..."zugangsdaten|logindaten|anmeldedaten|zugang|benutzer|identifiants|accès|credenciales|acceso|usuario".split("|"),
  ..."credenciais|credenziali|inloggegevens|inloggning|dane logowania|přihlašovací údaje".split("|"),
  ..."логин|доступ|учётные данные|wifi|wi-fi|wlan|ssid|账号|帐号|アカウント|계정".split("|"),
];

/** Characters that may follow a word of two characters. */
const NEXT = " :：=是为為は는은改设設换換更\"'」,";

/** A text that is searched for, and the word it begins with. */
export interface WordSign {
  sign: string;
  word: string;
}

/** The words of other scripts than A to Z, also with a capital first letter where the script has one. */
export const FOREIGN_SIGNS: readonly WordSign[] = PASSWORD_WORDS.flatMap(([, words]) => words.split(" "))
  .filter((word) => !/^[a-z'_]+$/.test(word))
  .map((word) => word.replaceAll("_", " "))
  .flatMap((word) => [...new Set([word, word.charAt(0).toUpperCase() + word.slice(1), word.toUpperCase()])])
  // A sign needs three characters.
  .flatMap((word) =>
    word.length > 2 ? [{ sign: word, word }] : [...NEXT].map((next) => ({ sign: word + next, word })),
  );

/** Spelled with spaces, unlike the names of fields. */
export const PHRASE_SIGNS: readonly WordSign[] = PASSWORD_WORDS.flatMap(([, words]) => words.split(" "))
  .filter((word) => /^[a-z_']+$/.test(word) && word.includes("_"))
  .flatMap((word) => [" ", "-"].map((joint) => word.replaceAll("_", joint)))
  .map((word) => ({ sign: word, word }));

/** The words of the letters A to Z: parts of the names of fields too. */
export const LATIN_WORDS: readonly string[] = [
  ...new Set(PASSWORD_WORDS.flatMap(([, words]) => words.split(" ")).filter((word) => /^[a-z_]+$/.test(word))),
];

/** True for a script without spaces between words. */
export function isUnspaced(word: string): boolean {
  return /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]/.test(word);
}

/** The end of the word with its endings: `паролем`, `lösenordet`. */
export function wordEnd(text: string, at: number, word: string): number {
  const end = at + word.length;
  return isUnspaced(word) ? end : end + (/^[\p{L}\p{M}]{0,6}/u.exec(text.slice(end, end + 8))?.[0].length ?? 0);
}
