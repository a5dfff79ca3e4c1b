//! Phrases of answer pages in many languages.
//!
//! Phrases are normalised: lower case, spaces instead of punctuation. They match whole words, except in scripts
//! without spaces.

use crate::critic::phrase_set::PhraseSet;
use std::sync::LazyLock;

/// Messages that nothing was found.
#[rustfmt::skip]
pub(super) static NO_RESULTS: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    // English
    "no results", "no result", "0 results", "no matches", "no match", "no matching", "no items found",
    "no items match", "no records", "no record", "no entries", "no listings", "no hits", "no documents",
    "no products found", "no products were found", "no products match", "no articles found", "no data found", "no books found", "no jobs found",
    "nothing found", "nothing was found", "nothing matched", "nothing matches", "nothing to show", "found nothing",
    "none found", "none were found", "not find any", "could not find", "couldn t find", "can t find any",
    "did not match any", "didn t match any", "does not match any", "did not return any", "didn t return any",
    "did not find any", "didn t find any", "returned no", "returned nothing", "returned zero", "were not found",
    "try another search", "try a different search", "try different keywords", "try other words",
    "try other keywords", "zero results", "no properties", "no vehicles", "no cars found", "no hotels",
    // German
    "keine ergebnisse", "kein ergebnis", "keine treffer", "kein treffer", "nichts gefunden", "keine einträge",
    "keine artikel gefunden", "keine übereinstimmung", "keine übereinstimmungen", "keine daten", "keine produkte gefunden",
    "leider nichts", "ergab keine", "0 treffer", "nicht fündig",
    // French
    "aucun résultat", "aucun resultat", "aucune réponse", "aucune annonce", "aucun article trouvé", "aucun produit trouvé", "aucun produit ne correspond",
    "aucune correspondance", "pas de résultat", "pas de résultats", "n a donné aucun", "n a retourné aucun",
    "rien trouvé", "0 résultat",
    // Spanish
    "sin resultados", "no hay resultados", "ningún resultado", "no se encontraron", "no se encontró",
    "no se han encontrado", "no se ha encontrado", "no encontramos", "no hemos encontrado", "ninguna coincidencia",
    "no hay coincidencias", "no hubo resultados", "no existen resultados", "0 resultados",
    // Portuguese
    "nenhum resultado", "sem resultados", "não há resultados", "não encontramos", "não foi encontrado",
    "não foram encontrados", "nenhum registro", "nenhum produto encontrado", "nada encontrado", "nenhum item encontrado",
    // Italian
    "nessun risultato", "nessun elemento", "nessuna corrispondenza", "non ci sono risultati", "non ha prodotto",
    "non è stato trovato", "non sono stati trovati", "nessun prodotto trovato", "nessun annuncio", "0 risultati",
    // Dutch
    "geen resultaten", "geen resultaat", "niets gevonden", "geen treffers", "niet gevonden", "geen producten gevonden",
    // Polish
    "brak wyników", "nie znaleziono", "niczego nie znaleziono", "brak rezultatów", "nic nie znaleziono",
    // Russian and Ukrainian
    "ничего не найдено", "не найдено", "нет результатов", "результатов нет", "по вашему запросу ничего",
    "совпадений нет", "нічого не знайдено",
    // Turkish
    "sonuç bulunamadı", "sonuç yok", "kayıt bulunamadı", "bulunamadı", "eşleşen sonuç",
    // Scandinavian, Finnish
    "inga träffar", "inga resultat", "ingen träff", "hittades inte", "ingen resultater", "ingen resultat",
    "ingen treff", "ei tuloksia", "ei hakutuloksia", "ingenting hittades",
    // Czech, Slovak, Hungarian, Romanian, Greek
    "žádné výsledky", "nebyly nalezeny", "nic nenalezeno", "nebylo nalezeno", "nenašli sa", "nincs találat",
    "nincsenek találatok", "niciun rezultat", "nu au fost găsite", "δεν βρέθηκαν",
    // Chinese, Japanese, Korean
    "没有找到", "沒有找到", "未找到", "找不到", "没有结果", "沒有結果", "无结果", "暂无数据", "没有符合", "沒有符合",
    "無符合", "查無", "见つかりません", "見つかりません", "見つかりませんでした", "該当なし", "該当する",
    "検索結果はありません", "결과가 없습니다", "검색 결과가 없", "찾을 수 없",
    // Arabic, Hebrew, Indonesian, Vietnamese, Thai
    "لا توجد نتائج", "لم يتم العثور", "לא נמצאו", "tidak ditemukan", "tidak ada hasil", "không tìm thấy",
    "ไม่พบ",
]));

/// Messages about errors of the server or the request.
#[rustfmt::skip]
pub(super) static ERROR: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "internal server error", "server error", "an error occurred", "an error has occurred", "error occurred",
    "unexpected error", "fatal error", "database error", "sql syntax", "stack trace", "uncaught exception",
    "unhandled exception", "bad gateway", "gateway timeout", "service unavailable", "temporarily unavailable",
    "bad request", "something went wrong", "application error", "access denied", "permission denied", "forbidden",
    "please enter a search", "please enter a keyword", "enter at least", "interner fehler", "ein fehler ist aufgetreten",
    "fehler aufgetreten", "zugriff verweigert", "une erreur est survenue", "une erreur s est produite", "accès refusé",
    "ha ocurrido un error", "se ha producido un error", "acceso denegado", "ocorreu um erro", "acesso negado",
    "si è verificato un errore", "accesso negato", "er is een fout opgetreden", "toegang geweigerd", "wystąpił błąd",
    "произошла ошибка", "ошибка сервера", "доступ запрещен", "bir hata oluştu", "ett fel uppstod", "došlo k chybě",
    "发生错误", "系统错误", "出错了", "エラーが発生", "오류가 발생",
]));

/// Messages that a page does not exist.
#[rustfmt::skip]
pub(super) static NOT_FOUND: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "page not found", "404 not found", "404 error", "error 404", "404", "not found", "file not found",
    "page does not exist", "page doesn t exist", "page cannot be found", "page could not be found",
    "page no longer exists", "page can t be found", "no longer available", "seite nicht gefunden",
    "seite existiert nicht", "page introuvable", "page non trouvée", "página no encontrada", "página no existe",
    "página não encontrada", "pagina non trovata", "pagina niet gevonden", "nie znaleziono strony",
    "strona nie istnieje", "страница не найдена", "sayfa bulunamadı", "sidan hittades inte", "stránka nenalezena",
    "页面不存在", "找不到页面", "頁面不存在", "ページが見つかりません", "페이지를 찾을 수 없",
]));

/// Titles of login pages.
#[rustfmt::skip]
pub(super) static LOGIN: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "log in", "login", "sign in", "signin", "log on", "members only", "authentication required", "anmelden",
    "anmeldung", "einloggen", "connexion", "identification", "se connecter", "iniciar sesión", "acceder", "entrar",
    "acesso", "accedi", "accesso", "inloggen", "zaloguj", "logowanie", "вход", "войти", "авторизация", "giriş",
    "logga in", "přihlášení", "登录", "登錄", "登入", "ログイン", "로그인",
]));

/// Requests to log in.
#[rustfmt::skip]
pub(super) static LOGIN_FIRST: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "please log in", "please login", "please sign in", "must be logged in", "must log in", "need to log in",
    "log in to continue", "sign in to continue", "log in to view", "login required", "bitte melden sie sich an",
    "bitte einloggen", "veuillez vous connecter", "vous devez être connecté", "debe iniciar sesión",
    "inicie sesión para", "faça login", "devi effettuare il login", "effettua il login", "je moet ingelogd zijn",
    "musisz się zalogować", "zaloguj się aby", "необходимо войти", "войдите чтобы", "giriş yapmalısınız",
    "请先登录", "請先登入", "ログインしてください", "로그인이 필요",
]));

/// Confirmations of an entry, message or order.
#[rustfmt::skip]
pub(super) static CONFIRMATION: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "your message has been", "your message was sent", "your entry has been", "your request has been",
    "your inquiry has been", "your enquiry has been", "your submission has been", "your form has been",
    "your order has been", "your comment has been", "your registration has been", "your application has been",
    "your subscription has been", "we have received your", "we received your", "we will get back to you",
    "we ll get back to you", "you have been subscribed", "you are now subscribed", "thank you for subscribing",
    "thank you for signing up", "thank you for your message", "thank you for your order", "thank you for your request",
    "thank you for your feedback", "thank you for contacting", "thanks for subscribing", "thanks for signing up",
    "thanks for your message", "thanks for contacting", "ihre nachricht wurde", "ihre anfrage wurde",
    "ihre bestellung wurde", "haben ihre anfrage erhalten", "haben ihre nachricht erhalten",
    "vielen dank für ihre nachricht", "vielen dank für ihre anfrage", "vielen dank für ihre anmeldung",
    "danke für ihre anmeldung", "votre message a", "votre demande a bien", "votre commande a bien",
    "merci pour votre message", "merci pour votre inscription", "su mensaje ha sido", "tu mensaje ha sido",
    "su solicitud ha sido", "gracias por su mensaje", "gracias por suscribirse", "sua mensagem foi",
    "obrigado pelo contato", "obrigado por se inscrever", "il tuo messaggio è stato", "il suo messaggio è stato",
    "la tua richiesta è stata", "grazie per averci contattato", "grazie per l iscrizione", "je bericht is verzonden",
    "uw bericht is verzonden", "bedankt voor je bericht", "bedankt voor uw bericht", "bedankt voor je aanmelding",
    "twoja wiadomość została", "dziękujemy za wiadomość", "ваше сообщение отправлено", "ваша заявка принята",
    "спасибо за подписку", "mesajınız gönderildi", "ditt meddelande har skickats", "提交成功", "发送成功",
    "感谢您的订阅", "送信されました", "送信しました", "접수되었습니다",
]));

/// Messages about too many requests.
#[rustfmt::skip]
pub(super) static RATE_LIMIT: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "too many requests", "rate limit", "rate limited", "rate limit exceeded", "slow down", "too many searches",
    "too many queries", "request limit", "unusual traffic", "try again in a few", "flood control",
    "zu viele anfragen", "trop de requêtes", "demasiadas solicitudes", "muitas solicitações", "troppe richieste",
    "te veel verzoeken", "zbyt wiele żądań", "zbyt wiele zapytań", "слишком много запросов", "çok fazla istek",
    "请求过于频繁", "訪問過於頻繁", "访问过于频繁", "リクエストが多すぎ", "요청이 너무 많",
]));

/// Messages of captcha pages.
#[rustfmt::skip]
pub(super) static CAPTCHA: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "captcha", "recaptcha", "hcaptcha", "verify you are human", "verify you are a human", "verify that you are human",
    "are you a robot", "are you human", "not a robot", "checking your browser", "just a moment",
    "attention required", "security check", "bot verification", "human verification", "press and hold",
    "enable javascript and cookies to continue", "kein roboter", "sicherheitsüberprüfung", "pas un robot",
    "no soy un robot", "no eres un robot", "não sou um robô", "non sono un robot", "geen robot", "nie jestem robotem",
    "не робот", "robot olmadığınızı", "人机验证", "安全验证", "ロボットではありません", "로봇이 아닙니다",
]));

/// Anchor texts of links to the next page.
#[rustfmt::skip]
pub(super) static NEXT: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "next", "next page", "more results", "older", "nächste", "nächste seite", "weiter", "suivant", "suivante",
    "page suivante", "siguiente", "página siguiente", "próximo", "próxima", "seguinte", "successiva", "successivo",
    "avanti", "volgende", "następna", "następny", "dalej", "следующая", "далее", "вперед", "sonraki", "ileri", "nästa",
    "další", "下一页", "下一頁", "下页", "次へ", "次のページ", "다음",
]));

/// Nouns for results.
#[rustfmt::skip]
pub(super) const COUNTED: &[&str] = &[
    "results", "result", "hits", "hit", "matches", "match", "records", "record", "entries", "listings", "treffer",
    "treffern", "ergebnissen", "ergebnisse", "ergebnis", "einträge", "résultats", "résultat", "resultats", "resultados", "resultado", "registros",
    "risultati", "risultato", "resultaten", "resultaat", "wyników", "wyniki", "wynik", "rezultatów", "результатов",
    "результата", "результат", "результаты", "совпадений", "sonuç", "kayıt", "träffar", "resultater", "treff",
    "výsledků", "výsledky", "találat", "rezultate", "αποτελέσματα", "条结果", "条记录", "个结果", "項結果", "筆結果",
    "条", "件", "건", "rezultata", "rezultatov", "tulosta", "osumaa", "rezultat", "rezultāti", "resultats",
    "نتيجة", "نتائج", "نتیجه", "نتایج", "תוצאות", "hasil", "kết", "รายการ", "записів", "zoekresultaten",
];

/// Nouns for items that result lists count.
#[rustfmt::skip]
pub(super) const THINGS: &[&str] = &[
    "items", "item", "products", "product", "articles", "article", "documents", "titles", "jobs", "vacancies", "offers",
    "ads", "posts", "topics", "threads", "books", "properties", "files", "works", "publications", "datasets", "pages",
    "artikel", "produkte", "angebote", "anzeigen", "dokumente", "titel", "beiträge", "stellen", "bücher",
    "produits", "articles", "annonces", "offres", "documents", "notices", "ouvrages", "documentos", "artículos", "productos",
    "ofertas", "anuncios", "produtos", "anúncios", "artigos", "vagas", "prodotti", "annunci", "articoli", "offerte", "documenti",
    "producten", "artikelen", "vacatures", "advertenties", "boeken", "ofert", "ogłoszeń", "produktów", "artykułów", "pozycji",
    "товаров", "объявлений", "записей", "документов", "вакансий", "книг", "ürün", "ilan", "annonser", "artiklar", "produkter",
    "annoncer", "titler", "tuotetta", "položek", "produktů", "záznamů", "termék", "produse", "商品", "个商品", "篇", "本", "개",
    "rows", "row", "lines", "packages", "bookmarks", "issues", "tickets", "messages", "questions", "events", "recipes",
    "courses", "objects", "images", "photos", "videos", "people", "persons", "places", "species", "papers", "links", "notes",
    "zeilen", "datensätze", "datensätzen", "pakete", "nachrichten", "rezepte", "bilder", "personen", "veranstaltungen",
    "lignes", "enregistrements", "paquets", "recettes", "images", "personnes", "filas", "registros", "líneas", "libros",
    "recetas", "mensajes", "personas", "linhas", "livros", "receitas", "mensagens", "pessoas", "righe", "libri", "ricette",
    "messaggi", "persone", "rijen", "regels", "berichten", "recepten", "wierszy", "wiersze", "rekordów", "rekordy",
    "książek", "przepisów", "строк", "строки", "статей", "рецептов", "сообщений", "пакетов", "рядків", "статей",
    "satır", "kitap", "tarif", "rader", "böcker", "poster", "rækker", "bøger", "poster", "riviä", "kirjaa", "tietuetta",
    "řádků", "knih", "sor", "rekord", "könyv", "rânduri", "înregistrări", "cărți", "γραμμές", "εγγραφές", "βιβλία",
    "行", "本书", "个项目", "項", "笔", "筆", "首", "张", "冊", "曲", "名", "행", "권", "편", "סעיפים", "שורות", "ספרים",
    "سجل", "سجلات", "صف", "صفوف", "كتاب", "baris", "buku", "dòng", "sách", "แถว", "เล่ม",
];

/// Words that mark the following number as rounded or as a bound.
#[rustfmt::skip]
pub(super) const ABOUT: &[&str] = &[
    "about", "approximately", "approx", "around", "over", "than", "nearly", "almost", "roughly", "circa", "ca", "etwa",
    "ungefähr", "rund", "über", "als", "environ", "près", "plus", "quelque", "unos", "aproximadamente", "cerca",
    "alrededor", "más", "mais", "oltre", "più", "ongeveer", "dan", "około", "ponad", "około", "около", "более", "примерно",
    "yaklaşık", "cirka", "omkring", "noin", "přibližně", "asi", "約", "约", "大约", "약", "以上",
];

/// Words for "found" beside a number.
#[rustfmt::skip]
pub(super) const FOUND: &[&str] = &[
    "found", "gefunden", "trouvés", "trouvé", "trouvées", "encontrados", "encontradas", "encontrado", "trovati",
    "trovato", "gevonden", "znaleziono", "найдено", "найден", "bulundu", "hittade", "fundet", "nalezeno", "共", "全", "총",
    "全部", "전체", "знайдено", "trovate", "löytyi",
];

/// Words between the ends of a range.
#[rustfmt::skip]
pub(super) const TO: &[&str] = &[
    "to", "thru", "through", "bis", "à", "a", "al", "até", "ao", "tot", "do", "až", "til", "till", "la", "până", "έως", "ως", "ile", "kuni",
    "līdz", "iki", "до", "по", "إلى", "الى", "تا", "עד", "से", "sampai", "hingga", "đến", "tới", "ถึง", "到", "至", "から", "에서", "부터",
];

/// Words between a range and the total.
#[rustfmt::skip]
pub(super) const OF: &[&str] = &[
    "of", "out", "total", "von", "insgesamt", "gesamt", "sur", "de", "des", "dos", "das", "di", "su", "van", "z", "ze", "celkem", "af", "av",
    "iz", "od", "din", "kokku", "iš", "από", "των", "из", "із", "з", "от", "من", "از", "מתוך", "dari", "trong", "trên", "จาก",
    "sonuçtan", "kayıttan", "件中", "中", "共", "共计", "总共", "全", "중", "총",
];

/// Nouns for pages of a list.
#[rustfmt::skip]
pub(super) const PAGES: &[&str] = &[
    "page", "pages", "seite", "seiten", "página", "páginas", "pagina", "pagine", "pagini", "pàgines", "strona", "strony", "stron",
    "stránka", "stránky", "stránek", "strana", "strany", "stranica", "sida", "sidor", "side", "sider", "sivu", "sivua", "oldal", "sayfa",
    "страница", "страницы", "страниц", "сторінка", "сторінки", "сторінок", "σελίδα", "σελίδες", "صفحة", "صفحات", "صفحه", "עמוד", "עמודים",
    "halaman", "trang", "หน้า", "页", "頁", "ページ", "페이지", "쪽",
];

/// Words before the number of results per page.
pub(super) const EACH_PAGE: &[&str] = &["每页", "每頁", "毎ページ", "ページあたり", "페이지당"];

/// Words after the number of results per page.
pub(super) const PER: &[&str] = &["per", "pro", "par", "por", "a", "each", "на", "na", "sayfa"];
