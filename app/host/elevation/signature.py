"""Authenticode: is a file signed, and by Microsoft? Read from learn.microsoft.com/windows/win32/api/wintrust."""

import sys
from pathlib import Path

PUBLISHER = "Microsoft Corporation"


if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    class _Guid(ctypes.Structure):
        _fields_ = (("a", wintypes.DWORD), ("b", wintypes.WORD), ("c", wintypes.WORD), ("d", ctypes.c_ubyte * 8))

    class _FileInfo(ctypes.Structure):
        _fields_ = (("size", wintypes.DWORD), ("path", wintypes.LPCWSTR), ("handle", wintypes.HANDLE), ("subject", ctypes.c_void_p))

    class _TrustData(ctypes.Structure):
        _fields_ = (
            ("size", wintypes.DWORD),
            ("policy", ctypes.c_void_p),
            ("sip", ctypes.c_void_p),
            ("ui", wintypes.DWORD),
            ("revocation", wintypes.DWORD),
            ("union", wintypes.DWORD),
            ("file", ctypes.POINTER(_FileInfo)),
            ("action", wintypes.DWORD),
            ("state", wintypes.HANDLE),
            ("url", wintypes.LPCWSTR),
            ("flags", wintypes.DWORD),
            ("context", wintypes.DWORD),
            ("settings", ctypes.c_void_p),
        )

    # WINTRUST_ACTION_GENERIC_VERIFY_V2
    _GENERIC_VERIFY = _Guid(0x00AAC56B, 0xCD44, 0x11D0, (ctypes.c_ubyte * 8)(0x8C, 0xC2, 0x00, 0xC0, 0x4F, 0xC2, 0x95, 0xEE))
    _UI_NONE, _CHOICE_FILE, _STATE_VERIFY, _STATE_CLOSE = 2, 1, 1, 2

    def _is_trusted(path: Path) -> bool:
        info = _FileInfo(ctypes.sizeof(_FileInfo), str(path), None, None)
        trust = _TrustData(size=ctypes.sizeof(_TrustData), ui=_UI_NONE, union=_CHOICE_FILE, file=ctypes.pointer(info), action=_STATE_VERIFY)
        verify = ctypes.windll.wintrust.WinVerifyTrust
        answer = verify(None, ctypes.byref(_GENERIC_VERIFY), ctypes.byref(trust))
        trust.action = _STATE_CLOSE
        verify(None, ctypes.byref(_GENERIC_VERIFY), ctypes.byref(trust))
        return int(answer) == 0

    def _signer(path: Path) -> str | None:
        """The simple display name of the certificate that signed the file."""
        crypt = ctypes.windll.crypt32
        message, store = ctypes.c_void_p(), ctypes.c_void_p()
        # CERT_QUERY_OBJECT_FILE, CERT_QUERY_CONTENT_FLAG_PKCS7_SIGNED_EMBED, CERT_QUERY_FORMAT_FLAG_BINARY
        if not crypt.CryptQueryObject(1, str(path), 1 << 10, 1 << 1, 0, None, None, None, ctypes.byref(store), ctypes.byref(message), None):
            return None
        try:
            return _first_signer_name(crypt, message, store)
        finally:
            crypt.CryptMsgClose(message)
            crypt.CertCloseStore(store, 0)

    def _first_signer_name(crypt: ctypes.WinDLL, message: ctypes.c_void_p, store: ctypes.c_void_p) -> str | None:
        size = wintypes.DWORD()
        # CMSG_SIGNER_CERT_INFO_PARAM: issuer and serial number, which find the certificate in the store.
        if not crypt.CryptMsgGetParam(message, 7, 0, None, ctypes.byref(size)):
            return None
        signer = ctypes.create_string_buffer(size.value)
        if not crypt.CryptMsgGetParam(message, 7, 0, signer, ctypes.byref(size)):
            return None
        crypt.CertFindCertificateInStore.restype = ctypes.c_void_p
        # CERT_FIND_SUBJECT_CERT
        certificate = crypt.CertFindCertificateInStore(store, 0x10001, 0, 11 << 16, signer, None)
        if not certificate:
            return None
        name = ctypes.create_unicode_buffer(256)
        crypt.CertGetNameStringW(ctypes.c_void_p(certificate), 4, 0, None, name, len(name))
        crypt.CertFreeCertificateContext(ctypes.c_void_p(certificate))
        return name.value or None

    def is_signed_by_microsoft(path: Path) -> bool:
        """Whether Windows trusts the signature of `path` and the signer's name is Microsoft's."""
        return _is_trusted(path) and _signer(path) == PUBLISHER

else:

    def is_signed_by_microsoft(path: Path) -> bool:
        """Only Windows can tell."""
        return False
