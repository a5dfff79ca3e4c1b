//! Phrases in many languages for actions other than searching, and for the data that such forms request.
//!
//! Phrases are normalised: lower case, spaces instead of punctuation.

use super::Veto;
use crate::critic::phrase_set::PhraseSet;
use std::sync::LazyLock;

/// Phrases for each veto. The first match wins, so severe actions come first.
pub(super) type ActionPhrases = Vec<(Veto, PhraseSet)>;

fn actions(table: &[(Veto, &[&'static str])]) -> ActionPhrases {
    table.iter().map(|(veto, phrases)| (*veto, PhraseSet::new(phrases))).collect()
}

/// Phrases that cause a veto on a submit button.
#[rustfmt::skip]
pub(super) static ACTIONS: LazyLock<ActionPhrases> = LazyLock::new(|| actions(&[
    (Veto::LogOut, &[
        "log out", "logout", "sign out", "signout", "log off", "logoff", "abmelden", "ausloggen", "déconnexion",
        "se déconnecter", "cerrar sesión", "cerrar sesion", "terminar sessão", "encerrar sessão", "disconnetti",
        "esci", "uitloggen", "afmelden", "wyloguj", "wyloguj się", "выйти", "выход", "çıkış", "çıkış yap", "logga ut",
        "odhlásit", "登出", "注销", "退出登录", "ログアウト", "로그아웃",
    ]),
    (Veto::Unsubscribe, &[
        "unsubscribe", "opt out", "abbestellen", "austragen", "se désabonner", "désabonner", "désinscrire",
        "se désinscrire", "darse de baja", "cancelar suscripción", "descadastrar", "cancelar inscrição",
        "cancelar assinatura", "disiscriviti", "annulla iscrizione", "uitschrijven", "wypisz", "wypisz się",
        "отписаться", "abonelikten çık", "avregistrera", "odhlásit odběr", "退订", "退訂", "取消订阅", "取消訂閱",
        "配信停止", "購読解除", "구독 취소",
    ]),
    (Veto::Delete, &[
        "delete", "remove", "erase", "destroy", "cancel order", "cancel booking", "cancel account", "close account",
        "löschen", "entfernen", "supprimer", "eliminar", "borrar", "excluir", "apagar", "remover", "elimina",
        "rimuovi", "cancella", "verwijderen", "verwijder", "usuń", "удалить", "sil", "kaldır", "ta bort", "radera",
        "smazat", "odstranit", "删除", "刪除", "移除", "削除", "삭제",
    ]),
    (Veto::Order, &[
        "order", "order now", "place order", "place your order", "add to cart", "add to basket", "add to bag",
        "add to trolley", "addtocart", "buy", "buy now", "buy it now", "checkout", "check out", "proceed to checkout",
        "purchase", "pre order", "update cart", "update basket", "view cart", "apply coupon", "bestellen", "kaufen",
        "jetzt kaufen", "in den warenkorb", "warenkorb", "zur kasse", "commander", "acheter", "ajouter au panier",
        "passer commande", "comprar", "comprar ahora", "añadir al carrito", "agregar al carrito", "añadir a la cesta",
        "realizar pedido", "adicionar ao carrinho", "encomendar", "finalizar compra", "acquista", "compra",
        "compra ora", "aggiungi al carrello", "ordina ora", "in winkelwagen", "in winkelmand", "kopen", "afrekenen",
        "kup", "kup teraz", "kupuję", "zamów", "do koszyka", "dodaj do koszyka", "купить", "заказать", "в корзину",
        "добавить в корзину", "оформить заказ", "satın al", "sepete ekle", "sipariş ver", "köp", "lägg i varukorg",
        "koupit", "do košíku", "购买", "購買", "加入购物车", "加入購物車", "下单", "立即购买", "结算", "結帳", "購入",
        "カートに入れる", "カートに追加", "注文", "구매", "장바구니", "주문",
    ]),
    (Veto::Pay, &[
        "pay", "pay now", "payment", "make payment", "donate", "donate now", "give now", "bezahlen", "jetzt bezahlen", "spenden",
        "payer", "faire un don", "pagar", "pagar ahora", "donar", "doar", "paga", "paga ora", "dona", "dona ora",
        "betalen", "doneren", "zapłać", "wpłać", "оплатить", "пожертвовать", "öde", "ödeme yap", "bağış yap", "betala",
        "zaplatit", "支付", "付款", "捐款", "捐赠", "支払う", "支払い", "寄付", "결제", "기부",
    ]),
    (Veto::SignUp, &[
        "sign up", "signup", "sign me up", "register", "register now", "join", "join now", "join us", "join free",
        "create account", "create an account", "create my account", "create profile", "create new account",
        "open account", "subscribe", "subscribe now", "notify me", "keep me posted", "get updates", "enroll", "enrol",
        "apply now", "request access", "request invite", "registrieren", "abonnieren", "eintragen", "konto erstellen",
        "konto anlegen", "newsletter abonnieren", "s inscrire", "inscription", "inscrivez vous", "je m inscris",
        "s abonner", "abonnez vous", "je m abonne", "m abonner", "créer un compte", "créer mon compte", "registrarse",
        "registrarme", "regístrate", "registrate", "registrar", "suscribirse", "suscribirme", "suscríbete", "suscribir",
        "inscribirse", "crear cuenta", "crear una cuenta", "darse de alta", "cadastrar", "cadastre se", "inscrever",
        "inscrever se", "inscreva se", "assinar", "criar conta", "registar", "registrati", "iscriviti", "iscrizione",
        "crea account", "abbonati", "inschrijven", "aanmelden", "registreren", "abonneren", "account aanmaken",
        "zarejestruj", "zarejestruj się", "rejestracja", "zapisz się", "subskrybuj", "załóż konto", "dołącz",
        "зарегистрироваться", "регистрация", "подписаться", "создать аккаунт", "вступить", "kaydol", "kayıt ol",
        "üye ol", "abone ol", "hesap oluştur", "registrera", "prenumerera", "gå med", "registrovat", "odebírat",
        "注册", "註冊", "订阅", "訂閱", "立即加入", "会員登録", "新規登録", "登録する", "購読", "가입", "구독", "회원가입",
    ]),
    (Veto::LogIn, &[
        "log in", "login", "sign in", "signin", "log on", "logon", "log me in", "einloggen", "anmelden", "connexion",
        "se connecter", "connectez vous", "s identifier", "iniciar sesión", "iniciar sesion", "acceder", "ingresar",
        "entrar", "fazer login", "iniciar sessão", "accedi", "inloggen", "zaloguj", "zaloguj się", "войти", "giriş",
        "giriş yap", "logga in", "přihlásit", "登录", "登錄", "登入", "登陆", "ログイン", "로그인",
    ]),
    (Veto::Post, &[
        "post", "post comment", "post reply", "post review", "post message", "post ad", "publish", "comment",
        "add comment", "submit comment", "leave comment", "reply", "add reply", "submit review", "add review",
        "write review", "send message", "send enquiry", "send inquiry", "send email", "send mail", "send request",
        "send feedback", "submit feedback", "send to friend", "contact us", "vote", "cast vote", "upload", "share",
        "invite", "kommentieren", "kommentar abschicken", "kommentar absenden", "kommentar senden",
        "nachricht senden", "nachricht absenden", "abstimmen", "veröffentlichen", "hochladen", "commenter", "publier",
        "laisser un commentaire", "envoyer le message", "voter", "comentar", "publicar", "publicar comentario",
        "publicar comentário", "enviar mensaje", "enviar mensagem", "enviar comentario", "enviar comentário", "votar",
        "commenta", "pubblica", "invia messaggio", "invia commento", "vota", "reageren", "reactie plaatsen",
        "plaatsen", "bericht versturen", "stemmen", "skomentuj", "dodaj komentarz", "wyślij wiadomość", "opublikuj",
        "głosuj", "комментировать", "опубликовать", "отправить сообщение", "отправить комментарий", "голосовать",
        "оставить отзыв", "yorum yap", "yorum gönder", "mesaj gönder", "yayınla", "oy ver", "kommentera",
        "skicka meddelande", "rösta", "odeslat zprávu", "přidat komentář", "hlasovat", "发表", "發表", "发布", "评论",
        "評論", "留言", "回复", "投票", "上传", "投稿", "コメントする", "コメントを送信", "댓글", "게시",
    ]),
]));

/// Phrases that cause a veto on a submit button only if nothing mentions searching. They may just mean "go".
#[rustfmt::skip]
pub(super) static WEAK_ACTIONS: LazyLock<ActionPhrases> = LazyLock::new(|| actions(&[
    (Veto::Post, &[
        "send", "save", "absenden", "senden", "abschicken", "speichern", "envoyer", "enregistrer", "enviar",
        "guardar", "salvar", "invia", "salva", "versturen", "verzenden", "opslaan", "wyślij", "zapisz", "отправить",
        "сохранить", "gönder", "kaydet", "skicka", "spara", "odeslat", "uložit", "发送", "發送", "提交", "保存",
        "送信", "제출", "저장",
    ]),
    (Veto::SignUp, &["newsletter", "get started", "start now", "try free", "free trial", "anmeldung", "abonnement"]),
    (Veto::Order, &[
        "quote", "get a quote", "request a quote", "reserve", "reservation", "appointment", "book", "book now",
        "booking", "hire now", "rent now", "buchen", "buchung", "reservieren", "réserver", "réservation", "reservar",
        "reserva", "prenota", "prenotazione", "boeken", "reserveren", "zarezerwuj", "rezerwacja", "забронировать",
        "бронирование", "rezervasyon", "boka", "bestill", "rezervovat", "预订", "預訂", "预约", "预定", "予約", "예약",
    ]),
    (Veto::Post, &[
        "add", "add new", "create", "insert", "hinzufügen", "anlegen", "erstellen", "ajouter", "créer", "añadir",
        "agregar", "crear", "adicionar", "criar", "aggiungi", "crea", "inserisci", "toevoegen", "aanmaken", "dodaj",
        "utwórz", "добавить", "создать", "ekle", "oluştur", "lägg till", "skapa", "přidat", "vytvořit", "添加", "新增",
        "创建", "追加", "作成", "추가", "등록",
    ]),
]));

/// Phrases in the action, attributes or heading of a form, in names of buttons, and in commands of hidden fields.
#[rustfmt::skip]
pub(super) static CONTEXT_ACTIONS: LazyLock<ActionPhrases> = LazyLock::new(|| actions(&[
    (Veto::LogOut, &["logout", "log out", "signout", "sign out", "logoff", "déconnexion", "abmelden"]),
    (Veto::Unsubscribe, &["unsubscribe", "optout", "opt out", "abbestellen", "désabonnement"]),
    (Veto::Delete, &["delete", "löschen", "supprimer", "eliminar", "删除", "削除"]),
    (Veto::Order, &[
        "cart", "addtocart", "add to cart", "basket", "checkout", "placeorder", "place order", "buynow", "buy now",
        "purchase", "warenkorb", "panier", "carrito", "carrinho", "carrello", "winkelwagen", "koszyk", "корзина",
        "sepet", "购物车", "カート",
    ]),
    (Veto::Pay, &["payment", "payments", "pay", "donate", "donation", "donations", "paypal", "spende", "don", "donar"]),
    (Veto::SignUp, &[
        "signup", "sign up", "register", "registration", "createaccount", "create account", "create an account",
        "join us", "subscribe", "subscription", "subscriptions", "subscriber", "newsletter", "newsletters",
        "mailinglist", "mailing list", "mailchimp", "list manage", "feedburner", "mc embedded subscribe form",
        "registrierung", "registrieren", "inscription", "registro", "registrarse", "suscripción", "suscripcion",
        "cadastro", "registrazione", "iscrizione", "registratie", "nieuwsbrief", "rejestracja", "регистрация",
        "подписка", "рассылка", "kayıt", "bülten", "注册", "註冊", "订阅", "会員登録", "メルマガ", "メールマガジン", "뉴스레터",
    ]),
    (Veto::LogIn, &[
        "login", "log in", "signin", "sign in", "logon", "password", "einloggen", "connexion", "iniciar sesión", "accedi",
        "inloggen", "logowanie", "вход", "giriş", "登录", "登入", "ログイン", "passwort vergessen", "mot de passe oublié",
        "recuperar contraseña", "forgotpassword", "lostpassword", "resetpassword",
    ]),
    (Veto::Post, &[
        "comment", "comments", "commentform", "respond", "reply", "contact", "contact us", "contactus", "contactform",
        "contact form", "feedback", "guestbook", "poll", "polls", "vote", "voting", "upload", "sendmail", "mailto",
        "formmail", "write to us", "leave a comment", "leave a reply", "kontakt", "kontaktformular", "kommentar",
        "umfrage", "commentaire", "contacto", "contato", "contatti", "comentario", "encuesta", "sondaggio", "sondage",
        "enquete", "reactie", "ankieta", "опрос", "обратная связь", "комментарий", "anket", "iletişim", "联系我们",
        "留言", "投票", "お問い合わせ", "アンケート",
    ]),
]));

/// Names and labels of captcha fields.
#[rustfmt::skip]
pub(super) static CAPTCHA: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "captcha", "turnstile", "securimage", "areyouhuman", "not a robot", "are you human", "prove you are human",
    "characters shown", "letters shown", "text in the image", "code in the image", "anti spam", "antispam",
    "verification code", "security code", "verifycode", "kein roboter", "sicherheitscode", "code de vérification",
    "code de sécurité", "código de seguridad", "código de verificación", "código de segurança", "codice di sicurezza",
    "codice di verifica", "beveiligingscode", "kod z obrazka", "przepisz kod", "капча", "код с картинки",
    "введите код", "проверочный код", "güvenlik kodu", "doğrulama kodu", "验证码", "驗證碼", "画像認証", "認証コード",
    "보안문자", "자동입력",
]));

/// Names and labels of fields for payment cards and bank accounts.
#[rustfmt::skip]
pub(super) static CARD: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "credit card", "creditcard", "debit card", "cc number", "ccnumber", "ccnum", "cc num", "cvv", "cvc", "iban", "card expiry", "name on card",
    "routing number", "sort code", "kartennummer", "kreditkarte", "kontonummer", "numéro de carte", "carte bancaire",
    "número de tarjeta", "tarjeta de crédito", "número do cartão", "cartão de crédito", "numero carta",
    "numero della carta", "carta di credito", "kaartnummer", "creditcardnummer", "numer karty", "номер карты",
    "kart numarası", "kredi kartı", "卡号", "信用卡", "カード番号", "クレジットカード", "카드 번호",
]));

/// Names and labels of fields for the number of a card, which may also be a library or membership card.
pub(super) static CARD_NUMBER: LazyLock<PhraseSet> = LazyLock::new(|| {
    PhraseSet::new(&["card number", "cardnumber", "card no", "cardno", "card num", "cardnum"])
});

/// Words before "card" that leave open that it is a payment card. Any other word names another kind of card.
#[rustfmt::skip]
pub(super) static PAYMENT_CARD_WORDS: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "credit", "debit", "bank", "payment", "pay", "gift", "prepaid", "charge", "visa", "mastercard", "amex", "your",
    "the", "a", "my", "new", "enter", "txt", "input", "form", "billing",
]));

/// Names and labels of fields for an e-mail address.
#[rustfmt::skip]
pub(super) static EMAIL: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "email", "e mail", "mail", "emailaddress", "email address", "mailaddress", "user email", "correo", "courriel",
    "correo electrónico", "email adresse", "e mailadres", "e posta", "eposta", "почта", "электронная почта", "邮箱",
    "電子郵件", "电子邮件", "邮件", "メールアドレス", "이메일",
]));

/// Names and labels of fields for a message.
#[rustfmt::skip]
pub(super) static MESSAGE: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "message", "comment", "comments", "feedback", "enquiry", "inquiry", "nachricht", "kommentar", "commentaire",
    "mensaje", "comentario", "mensagem", "comentário", "messaggio", "commento", "bericht", "wiadomość", "komentarz",
    "сообщение", "комментарий", "mesaj", "yorum", "留言", "消息", "コメント", "メッセージ", "메시지",
]));

/// Names and labels of password fields that have the kind text.
#[rustfmt::skip]
pub(super) static PASSWORD: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "password", "passwd", "passwort", "kennwort", "mot de passe", "contraseña", "senha", "wachtwoord",
    "пароль", "şifre", "lösenord", "密码", "密碼", "パスワード", "비밀번호", "one time code", "otp",
]));

/// Names and labels that mean a password, or a word or heading of a catalogue. They count in forms without
/// search words.
#[rustfmt::skip]
pub(super) static PASSWORD_OR_WORD: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "parola", "hasło", "heslo",
]));

/// Names and labels of fields for a phone number.
#[rustfmt::skip]
pub(super) static PHONE: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "phone", "telephone", "phone number", "mobile", "mobile number", "telefon", "telefonnummer", "téléphone",
    "teléfono", "telefono", "telefone", "telefoonnummer", "telefoon", "телефон", "cep telefonu", "电话", "電話番号",
    "전화번호",
]));

/// Names and labels of fields for the name of a person.
#[rustfmt::skip]
pub(super) static PERSON: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "your name", "full name", "fullname", "first name", "firstname", "last name", "lastname", "surname", "vorname",
    "nachname", "ihr name", "prénom", "votre nom", "apellido", "apellidos", "su nombre", "sobrenome", "seu nome",
    "cognome", "voornaam", "achternaam", "imię", "nazwisko", "фамилия", "ваше имя", "soyad", "姓名", "氏名", "お名前",
]));

/// Names and labels of fields for a user name.
#[rustfmt::skip]
pub(super) static USER: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "username", "user name", "userid", "user id", "loginname", "login name", "benutzername", "nom d utilisateur",
    "nombre de usuario", "nome de usuário", "nome utente", "gebruikersnaam", "nazwa użytkownika", "имя пользователя",
    "логин", "kullanıcı adı", "用户名", "ユーザー名", "아이디",
]));

/// Names and labels of fields for a quantity.
#[rustfmt::skip]
pub(super) static QUANTITY: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "quantity", "qty", "menge", "anzahl", "quantité", "cantidad", "quantidade", "quantità", "aantal", "ilość",
    "количество", "adet", "antal", "množství", "数量", "수량",
]));

/// Words for searching, on buttons and in labels.
#[rustfmt::skip]
pub(super) static SEARCH: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "search", "searching", "find", "look up", "lookup", "browse", "filter", "suche", "suchen", "finden", "recherche",
    "rechercher", "trouver", "chercher", "buscar", "busca", "búsqueda", "busqueda", "pesquisar", "pesquisa", "procurar",
    "localizar", "cerca", "ricerca", "trova", "zoek", "zoeken", "vind", "szukaj", "wyszukaj", "znajdź", "wyszukiwarka",
    "поиск", "найти", "искать", "ara", "arama", "bul", "sök", "hitta", "søg", "søk", "haku", "hae", "hledat", "hľadať",
    "vyhledat", "keresés", "căutare", "caută", "αναζήτηση", "搜索", "搜尋", "搜寻", "查询", "查找", "検索", "探す", "검색",
    "بحث", "חיפוש", "tìm kiếm", "cari", "ค้นหา", "check availability", "show results", "verfügbarkeit prüfen",
]));

/// Names of query fields.
#[rustfmt::skip]
pub(super) static QUERY_NAMES: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "q", "s", "k", "query", "search", "keyword", "keywords", "kw", "kwd", "term", "terms", "searchterm", "searchtext",
    "search query", "search term", "search text", "search keywords", "search word", "searchword", "searchstring",
    "search string", "searchfor", "search for", "searchbox", "searchinput", "qt", "qs", "wd", "word", "words", "find",
    "suche", "suchbegriff", "suchwort", "busca", "buscar", "pesquisa", "recherche", "mots", "cerca", "zoek",
    "zoekterm", "szukaj", "text", "ara", "keys", "search block form", "srchtxt", "searchkey", "keywd",
]));
